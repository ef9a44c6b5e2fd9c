import type { BowlineError, Clock } from "@bowline/core";
import type { InformerState } from "@bowline/kube";
import type { ManagedInformer, Manager } from "@bowline/runtime";

import type { ClusterCache, FamilyCache, FamilyKinds } from "../watch/cluster-cache.ts";

interface AddInformersOptions {
  readonly clock: Clock;
  readonly onError: (error: BowlineError) => void;
  readonly cache: ClusterCache;
  readonly families: readonly { readonly family: FamilyKinds; readonly familyCache: FamilyCache }[];
}

/** Every cache of the operator runs under its manager, and its errors are reported. */
export function addInformers(manager: Manager, { cache, families, ...options }: AddInformersOptions): void {
  const add = (name: string, informer: Parameters<typeof reportErrors>[0]): void =>
    manager.addInformer(name, reportErrors(informer, options));
  add("definitions", cache.definitions);
  for (const { family, familyCache } of families) {
    add(family.agents.plural, familyCache.agents);
    add(`${family.instances.plural}.${family.instances.group}`, familyCache.instances);
  }
  for (const [kind, informer] of cache.monitors) add(kind, informer);
  const { namespaces, secrets, configMaps, services, statefulSets } = cache;
  if (namespaces !== undefined) add("namespaces", namespaces);
  for (const informer of [secrets, configMaps, services, statefulSets])
    add(informer.resource.plural, informer);
}

/** Long enough that what passes by itself is not worth a word. */
const checkMs = 5_000;

/**
 * The informer, and beside it a look at its errors, such as a missing right: by itself it goes on trying for ever,
 * without a word. The same error is reported once.
 */
export function reportErrors(
  informer: ManagedInformer & { state(): Pick<InformerState, "error"> },
  { clock, onError }: Pick<AddInformersOptions, "clock" | "onError">,
): ManagedInformer {
  let reported: string | undefined;
  let cancel = (): void => {};
  const checkLater = (): void => {
    cancel = clock.after(checkMs, () => {
      const { error } = informer.state();
      if (error !== undefined && error.message !== reported) onError(error);
      reported = error?.message;
      checkLater();
    });
  };
  return {
    start: () => {
      informer.start();
      checkLater();
    },
    synced: (signal) => informer.synced(signal),
    stop: async () => {
      cancel();
      await informer.stop();
    },
  };
}
