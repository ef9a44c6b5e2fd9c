import { Resolver } from "node:dns/promises";

import { Gateway } from "@bowline/api";
import { codeOf } from "@bowline/core";

import { objectController, type ObjectController } from "../controllers/object-controller.ts";
import type { ClusterClients } from "../workloads/cluster-clients.ts";
import { AllowedAddresses } from "./allowed-address.ts";
import { GatewayReconciler, type GatewayReconcilerOptions } from "./gateway-reconciler.ts";
import { gatewayWatches } from "./gateway-watches.ts";
import type { OutsideTools, ResolveHost } from "./judge-outside.ts";
import { probeHost } from "./probe-host.ts";
import type { ServiceDefinitions } from "./services/support-service.ts";

/** What an admin decides about Gateways. */
export interface GatewaySettings extends ServiceDefinitions {
  readonly user: string | undefined;
  readonly probe: "on" | "off";
  readonly probeNetworks: readonly string[] | undefined;
  /** DNS servers; missing for those of the machine. */
  readonly resolvers: readonly string[] | undefined;
}

/** Each asks clusters and hosts one after the other, and some of them never answer. */
const timeLimitMs = 5 * 60_000;

type GatewayTools = Pick<
  GatewayReconcilerOptions,
  "clients" | "outside" | "user" | "install" | "lookAgainMs"
>;

/** @public Tests have other tools. */
export function gatewayControllerWith(tools: GatewayTools): ObjectController {
  return objectController({
    kind: Gateway,
    watches: gatewayWatches,
    timeLimitMs,
    reconciler: ({ store, clock }) => new GatewayReconciler({ ...tools, store, clock }),
  });
}

export function gatewayController(clients: ClusterClients, settings: GatewaySettings): ObjectController {
  return gatewayControllerWith({
    clients,
    user: settings.user,
    install: settings,
    outside: outsideTools(settings),
  });
}

/** How this server looks at hosts from outside. */
export function outsideTools({ probe, probeNetworks = [], resolvers = [] }: GatewaySettings): OutsideTools {
  return {
    resolve: resolverOf(resolvers),
    probe: probeHost,
    allowed: new AllowedAddresses(probeNetworks),
    isOn: probe === "on",
  };
}

const resolveTimeoutMs = 3_000;

function resolverOf(servers: readonly string[]): ResolveHost {
  const resolver = new Resolver({ timeout: resolveTimeoutMs, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  return async (host) => {
    const answers = await Promise.all([
      resolver.resolve4(host).catch(noneIfMissing),
      resolver.resolve6(host).catch(noneIfMissing),
    ]);
    return answers.flat();
  };
}

/** A name without addresses is an answer; that nobody could be asked is none. */
function noneIfMissing(error: unknown): string[] {
  const code = codeOf(error);
  if (code === "ENOTFOUND" || code === "ENODATA") return [];
  throw error;
}
