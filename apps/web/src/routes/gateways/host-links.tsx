import type { Gateway } from "@bowline/api";
import type { ReactNode } from "react";

import { ExternalLink } from "../../text/external-link.tsx";
import { hostAddress } from "./gateway-facts.ts";

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
