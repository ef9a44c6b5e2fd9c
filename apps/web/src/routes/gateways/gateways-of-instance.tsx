import { Gateway } from "@bowline/api";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { HealthMark } from "../../ui/health-mark.tsx";
import { gatewayHealth } from "./gateway-facts.ts";
import { HostLinks } from "./host-links.tsx";

/** The Gateways of a workload, with the hosts under which it answers; nothing where it has none. */
export function GatewaysOfInstance({ instance }: { instance: string }): ReactNode {
  const { items } = useObjects(Gateway, `spec.instance=${instance}`);
  if (items.size === 0) return null;
  const gateways = [...items.values()].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return (
    <section aria-label="Gateways" className="border-b border-border px-4 py-2">
      <ul className="space-y-1">
        {gateways.map((gateway) => (
          <li key={gateway.metadata.id} className="flex flex-wrap items-baseline gap-x-3">
            <HealthMark health={gatewayHealth(gateway)} />
            <Link to="/gateways/$name" params={{ name: gateway.metadata.name }}>
              Gateway {cleanText(gateway.metadata.name, 63)}
            </Link>
            <HostLinks gateway={gateway} />
          </li>
        ))}
      </ul>
    </section>
  );
}
