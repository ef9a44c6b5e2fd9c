import type { Gateway } from "@bowline/api";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { useNowMs } from "../../live/now.ts";
import { cleanText } from "../../text/clean-text.ts";
import { formatTime } from "../../text/time.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { usePreferences } from "../../ui/preferences.ts";
import { Section } from "../../ui/section.tsx";
import { CheckChain } from "./check-chain.tsx";
import { certificateEnd, checkHealth, type GatewayCluster } from "./gateway-facts.ts";

/** How it does in each cluster, those in trouble first. */
export function GatewayClusters({ gateway: { status } }: { gateway: Gateway }): ReactNode {
  const { clusters, clusterCount, readyCount } = status;
  const rest = clusterCount - clusters.length;
  return (
    <Section
      title="In its clusters"
      aside={
        <span className="text-muted">
          ready in {readyCount} of {clusterCount}
        </span>
      }
    >
      {clusters.length === 0 && (
        <p className="text-muted">
          It is in no cluster yet: its workload is not placed, or nobody has looked.
        </p>
      )}
      <ul aria-label="Clusters" className="space-y-4">
        {clusters.map((cluster) => (
          <InCluster key={cluster.cluster} cluster={cluster} />
        ))}
      </ul>
      {rest > 0 && <p className="text-muted">and {rest} more</p>}
    </Section>
  );
}

function InCluster({ cluster: told }: { cluster: GatewayCluster }): ReactNode {
  const {
    cluster,
    ready,
    reason,
    message,
    class: gatewayClass,
    addresses,
    certificateNotAfter,
    checks,
  } = told;
  return (
    <li className="rounded-md border border-border p-3">
      <div className="mb-2 flex flex-wrap items-baseline gap-x-3">
        <Link to="/c/$cluster" params={{ cluster }} className="font-semibold">
          {cleanText(cluster, 63)}
        </Link>
        <HealthMark health={checkHealth(ready, reason)} />
        {gatewayClass !== undefined && (
          <span className="text-muted">class {cleanText(gatewayClass, 253)}</span>
        )}
      </div>
      {checks.length === 0 ? (
        <p className="wrap-anywhere">
          <span className="font-semibold">{cleanText(reason, 128)}</span> {cleanText(message, 1_024)}
        </p>
      ) : (
        <CheckChain label={`Checks in ${cleanText(cluster, 63)}`} checks={checks} />
      )}
      <div className="mt-2 flex flex-wrap items-center gap-x-6 gap-y-1">
        <Addresses addresses={addresses} />
        {certificateNotAfter !== undefined && <CertificateEnd notAfter={certificateNotAfter} />}
      </div>
    </li>
  );
}

function Addresses({ addresses }: { addresses: readonly string[] }): ReactNode {
  if (addresses.length === 0) return <span className="text-muted">no address yet</span>;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <span className="text-muted">{addresses.length === 1 ? "Address" : "Addresses"}</span>
      <span className="font-mono wrap-anywhere">{cleanText(addresses.join(", "), 1_000)}</span>
      <CopyButton text={addresses.join("\n")} what="the addresses" />
    </span>
  );
}

function CertificateEnd({ notAfter }: { notAfter: string }): ReactNode {
  const nowMs = useNowMs();
  const { timeZone } = usePreferences();
  const { days, isSoon, isOver } = certificateEnd(notAfter, nowMs);
  const look = isOver ? "text-degraded" : isSoon ? "text-missing" : "text-muted";
  const left = isOver ? "it has ended" : days === 1 ? "1 day left" : `${days} days left`;
  return (
    <span className={look}>
      {isSoon && <span aria-hidden="true">▲ </span>}
      {isSoon && <span className="sr-only">Warning: </span>}
      Certificate until {formatTime(Date.parse(notAfter), timeZone)}, {left}
    </span>
  );
}
