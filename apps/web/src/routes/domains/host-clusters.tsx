import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { adviceFor } from "../gateway-reasons.ts";
import { answerWords, isLed, type DomainCluster, type DomainHost } from "./domain-facts.ts";

/** How each cluster that may serve a host does for it, in the order in which they are preferred. */
export function HostClusters({ host: told }: { host: DomainHost }): ReactNode {
  const { host, active, clusters } = told;
  const leads = isLed(told) ? "records lead here" : "records are to lead here";
  if (clusters.length === 0) return null;
  return (
    <ul aria-label={`Clusters of ${cleanText(host, 253)}`} className="mt-2 grid gap-2">
      {clusters.map((each) => (
        <InCluster key={each.cluster} told={each} leads={active.includes(each.cluster) ? leads : undefined} />
      ))}
    </ul>
  );
}

/** What it says of a host there is found as a Gateway is: so its reasons are those of Gateways. */
function InCluster({ told, leads }: { told: DomainCluster; leads: string | undefined }): ReactNode {
  const { cluster, healthy, since, lostAt, reason, message, addresses } = told;
  const isHealthy = healthy === "True";
  const { words, isTimed } = answerWords(told);
  const advice = isHealthy ? undefined : adviceFor(reason);
  return (
    <li className={`border-l-2 pl-3 ${isHealthy ? "border-border" : "border-degraded"}`}>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <HealthMark health={isHealthy ? "Healthy" : "Degraded"} word={false} />
        <Link to="/c/$cluster" params={{ cluster }} className="font-semibold">
          {cleanText(cluster, 63)}
        </Link>
        <span className="text-muted">
          {words}
          {isTimed && (
            <>
              {" "}
              for <Age at={since} />
            </>
          )}
        </span>
        {leads !== undefined && <span>{leads}</span>}
        {lostAt !== undefined && (
          <span className={isHealthy ? "text-muted" : "text-missing"}>
            {!isHealthy && <span aria-hidden="true">▲ </span>}
            taken out of the records <Age at={lostAt} /> ago
          </span>
        )}
        {!isHealthy && <span className="font-mono text-xs">{cleanText(reason, 128)}</span>}
      </p>
      {!isHealthy && message !== "" && <p className="wrap-anywhere">{cleanText(message, 1_024)}</p>}
      {advice !== undefined && <p className="text-muted">What to do: {advice}</p>}
      <p className="font-mono text-xs wrap-anywhere text-muted">
        {addresses.length === 0 ? "no address yet" : cleanText(addresses.join(", "), 1_000)}
      </p>
    </li>
  );
}
