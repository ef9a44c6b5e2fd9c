import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { ClusterNames } from "./cluster-names.tsx";
import { findingHealth, isElsewhere, isLed, type DomainHost } from "./domain-facts.ts";
import { HostClusters } from "./host-clusters.tsx";
import { adviceFor } from "./reasons.ts";

/** One host: where its records lead, why, what is written, and how each of its clusters does. */
export function HostCard({ host: told }: { host: DomainHost }): ReactNode {
  const { host, ready, reason, message, active, since } = told;
  const name = cleanText(host, 253);
  return (
    <li aria-label={name} className="rounded-md border border-border p-3">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-mono font-semibold wrap-anywhere">{name}</span>
        <HealthMark health={findingHealth(ready, reason)} />
        {isElsewhere(reason) && (
          <span className="text-missing">
            <span aria-hidden="true">▲ </span>led elsewhere
          </span>
        )}
        <span className="ml-auto">
          <Link to="/gateways" search={{ q: host }}>
            Gateways<span className="sr-only"> of {name}</span>
          </Link>
        </span>
      </div>
      <p className="mt-1">
        {active.length === 0 ? (
          <span className="text-muted">Its records lead nowhere yet.</span>
        ) : (
          <>
            {isLed(told) ? "Leads to" : "Is to lead to"} <ClusterNames names={active} />{" "}
            <span className="text-muted">
              for <Age at={since} />
            </span>
          </>
        )}
      </p>
      <Finding reason={reason} message={message} />
      <Records host={told} />
      <HostClusters host={told} />
    </li>
  );
}

function Finding({ reason, message }: Pick<DomainHost, "reason" | "message">): ReactNode {
  const advice = adviceFor(reason);
  if (advice === undefined && message === "") return null;
  return (
    <>
      <p className={`wrap-anywhere ${advice === undefined ? "text-muted" : ""}`}>
        <span className="mr-2 font-semibold">{cleanText(reason, 128)}</span>
        {cleanText(message, 1_024)}
      </p>
      {advice !== undefined && <p className="text-muted">What to do: {advice}</p>}
    </>
  );
}

/** A host may have a thousand. */
const recordsAtFirst = 10;

/** Its records as they were written last, as a zone file has them. */
function Records({ host: { host, records, place } }: { host: DomainHost }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  if (records.length === 0) return <p className="mt-2 text-muted">No record of it is written.</p>;
  const name = cleanText(host, 253);
  const shown = isWhole ? records : records.slice(0, recordsAtFirst);
  return (
    <div className="mt-2">
      <p className="flex flex-wrap items-center gap-x-2 text-muted">
        Written last{place === undefined ? "" : ` to ${cleanText(placeText(place), 600)}`}
        <CopyButton text={records.join("\n")} what={`the records of ${name}`} />
      </p>
      <ul aria-label={`Records of ${name}`} className="font-mono text-xs">
        {shown.map((record, index) => (
          // oxlint-disable-next-line no-array-index-key -- one may be there twice, and none has a name
          <li key={index} className="wrap-anywhere">
            {cleanText(record, 512)}
          </li>
        ))}
      </ul>
      {shown.length < records.length && (
        <Button look="link" onClick={() => setWhole(true)}>
          Show {records.length - shown.length} more records
        </Button>
      )}
    </div>
  );
}

function placeText({ provider, zone, server, hostedZone }: NonNullable<DomainHost["place"]>): string {
  if (provider === "rfc2136") return server === undefined ? zone : `${zone} at ${server}`;
  return hostedZone === undefined ? `${zone} in Route 53` : `${zone} in Route 53, hosted zone ${hostedZone}`;
}
