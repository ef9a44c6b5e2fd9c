import type { Gateway } from "@bowline/api";
import type { ReactNode } from "react";

import { ExternalLink } from "../../text/external-link.tsx";
import { hostAddress } from "./gateway-facts.ts";

/** The first of its hosts, and how many there are besides: a row of a list has one line. */
export function FirstHostLink({ gateway: { spec } }: { gateway: Pick<Gateway, "spec"> }): ReactNode {
  const [first = "", ...others] = spec.hosts;
  return (
    <span className="flex gap-x-1 leading-6">
      <span className="min-w-0 *:block *:truncate">
        <ExternalLink address={hostAddress(spec, first)} text={first} />
      </span>
      {others.length > 0 && (
        <span className="text-muted">
          +{others.length}
          <span className="sr-only"> more</span>
        </span>
      )}
    </span>
  );
}

/** The hosts of a Gateway, each to be opened where it is one name. */
export function HostLinks({ gateway: { spec } }: { gateway: Pick<Gateway, "spec"> }): ReactNode {
  return (
    <span className="inline-flex flex-wrap gap-x-3">
      {spec.hosts.map((host) => (
        <ExternalLink key={host} address={hostAddress(spec, host)} text={host} />
      ))}
    </span>
  );
}
