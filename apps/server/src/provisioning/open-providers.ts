import { join } from "node:path";

import type { Clock } from "@bowline/core";
import {
  AwsProcess,
  ClusterApiProvider,
  EksProvider,
  ExecProvider,
  kindProvider,
  type AwsApi,
  type Provider,
} from "@bowline/providers";
import type { Store } from "@bowline/store";

import type { ServerConfig } from "../config/server-config.ts";
import type { ClusterClients } from "../workloads/cluster-clients.ts";
import { clusterApiAccess } from "./cluster-api-access.ts";
import type { Providers } from "./provider-round.ts";
import { removalThroughTunnel } from "./tunnel-removal.ts";

/** What the providers of a server are made of. */
export interface ProviderParts {
  readonly config: Pick<ServerConfig, "provider">;
  /** The data folder. */
  readonly folder: string;
  readonly store: Store;
  /** The way into management clusters. */
  readonly clients: ClusterClients;
  readonly clock: Clock;
  /** Of this process: what programs that it starts are given some of. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The providers of a server, with what they have opened. */
export interface OpenProviders extends AsyncDisposable {
  readonly providers: Providers;
  /** The calls of AWS, for whoever else needs them. */
  readonly aws: AwsApi;
}

/**
 * The providers that this server has, by name. One that is not here leaves its Clusters with the reason
 * `ProviderUnavailable`.
 */
export function openProviders({
  config,
  folder,
  store,
  clients,
  clock,
  environment,
}: ProviderParts): OpenProviders {
  const { programs = {}, kind, eksAccess } = config.provider;
  const aws = new AwsProcess({ clock, env: environment });
  const available: readonly Provider[] = [
    new ExecProvider({ programs: new Map(Object.entries(programs)), environment }),
    new ClusterApiProvider(clusterApiAccess({ store, clients })),
    new EksProvider({
      api: aws,
      tunnel: removalThroughTunnel({ store, clients }),
      publicAccess: eksAccess,
    }),
    // Its nodes are privileged containers of this machine: whoever runs the server decides.
    ...(kind ? [kindProvider({ folder: join(folder, "kind"), environment })] : []),
  ];
  return {
    providers: new Map(available.map((provider) => [provider.name, provider])),
    aws,
    [Symbol.asyncDispose]: () => aws[Symbol.asyncDispose](),
  };
}
