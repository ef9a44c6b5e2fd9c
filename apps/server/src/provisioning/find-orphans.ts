import { Cluster } from "@bowline/api";
import { BowlineError, shortened, withDeadline, type Clock, type Logger } from "@bowline/core";
import type { OrphanedResource, Provider } from "@bowline/providers";
import type { Store } from "@bowline/store";

import { findObjects } from "../workloads/find-objects.ts";
import { credentialValues, type Providers } from "./provider-round.ts";
import { ShownSecrets } from "./shown-secrets.ts";

export interface OrphanTools {
  readonly store: Pick<Store, "objects" | "resources" | "installationId">;
  readonly providers: Providers;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Orphan extends OrphanedResource {
  readonly provider: string;
}

export interface OrphanFinding {
  readonly orphans: readonly Orphan[];
  /** Providers that could look, and could not now, each with the place where that is only one of several. */
  readonly notAsked: readonly string[];
}

/** Each provider looks at all of its regions; for whoever waits for it. */
const usualLimitMs = 30_000;
const maxPlaceLength = 200;

/**
 * Things outside with the mark of this installation that nobody here knows of: their Cluster is gone, or what is
 * remembered of it is older than they are, as after a restore. Nothing is done to them.
 */
export async function findOrphans(
  tools: OrphanTools,
  signal: AbortSignal,
  limitMs = usualLimitMs,
): Promise<OrphanFinding> {
  const clusters = await findObjects(tools.store.objects, Cluster);
  const notAsked: string[] = [];
  const found = await Promise.all(
    [...tools.providers.values()].map(async (provider) => {
      try {
        return await orphansOf(tools, provider, {
          all: clusters,
          signal,
          limitMs,
          onMissed: (place) => notAsked.push(shortened(`${provider.name} (${place})`, maxPlaceLength)),
        });
      } catch (thrown) {
        signal.throwIfAborted();
        tools.logger.warn({ err: thrown, provider: provider.name }, "Orphans could not be looked for");
        notAsked.push(provider.name);
        return [];
      }
    }),
  );
  return { orphans: found.flat(), notAsked };
}

async function orphansOf(
  { store, clock, logger }: OrphanTools,
  provider: Provider,
  {
    all,
    signal,
    limitMs,
    onMissed,
  }: {
    readonly all: readonly Cluster[];
    readonly signal: AbortSignal;
    readonly limitMs: number;
    readonly onMissed: (place: string) => void;
  },
): Promise<Orphan[]> {
  if (provider.orphans === undefined) return [];
  const secrets = new ShownSecrets();
  const clusterIds = new Set(all.map(({ metadata }) => metadata.id));
  const own = all.filter(({ spec }) => spec.provider === provider.name);
  const search = {
    clusterIds,
    clusters: own.map(({ metadata: { id, name, labels }, spec }) => ({ id, name, labels, spec })),
    installation: await store.installationId(),
    credential: async (name: string) => {
      const values = await credentialValues(store, name);
      secrets.add(values);
      return values;
    },
    clock,
    logger: logger.child({ provider: provider.name }),
    onMissed: (place: string, error: unknown) => {
      const err = secrets.hideIn(error);
      logger.warn({ err, provider: provider.name, place }, "Orphans could not be looked for in one place");
      onMissed(place);
    },
  };
  try {
    const found = await withDeadline(
      async (limit) => provider.orphans?.({ ...search, signal: limit }) ?? [],
      {
        clock,
        limitMs,
        signal,
        onTimeout: () =>
          new BowlineError("Timeout", `The provider "${provider.name}" took too long to look.`),
      },
    );
    const unknown = await Promise.all(found.map((each) => isUnknown(store, clusterIds, each)));
    return found
      .filter((_, index) => unknown[index] === true)
      .map((each) => ({ ...each, provider: provider.name }));
  } catch (thrown) {
    throw secrets.hideIn(thrown);
  }
}

async function isUnknown(
  { resources }: Pick<Store, "resources">,
  clusterIds: ReadonlySet<string>,
  { clusterId, token }: OrphanedResource,
): Promise<boolean> {
  if (!clusterIds.has(clusterId)) return true;
  if (token === undefined) return false;
  return !(await resources.of(clusterId).list()).some((record) => record.token === token);
}
