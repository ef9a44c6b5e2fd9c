import { isDeepStrictEqual } from "node:util";

import { ConfigSource, configKinds, Credential, kinds, parseFieldSelector, User } from "@bowline/api";
import { done, type ReconcileResult } from "@bowline/runtime";
import { typed, type Change } from "@bowline/store";

import {
  objectController,
  type ObjectController,
  type ObjectWatch,
} from "../controllers/object-controller.ts";
import { ConfigSourceApplier, type ConfigApplierOptions } from "./config-source-applier.ts";

/** Applies what sources of configuration have. */
export function configSourceController({
  reader,
  pool,
}: Pick<ConfigApplierOptions, "reader" | "pool">): ObjectController {
  return objectController({
    kind: ConfigSource,
    watches: [
      sourceWatch,
      selectedBy(Credential, "spec.git.credential"),
      selectedBy(User, "spec.actsAs"),
      ...ownWatches,
    ],

    reconciler: ({ store }) => {
      const applier = new ConfigSourceApplier({ reader, pool, objects: store.objects });
      return {
        async reconcile(source: ConfigSource, task): Promise<ReconcileResult> {
          if (source.metadata.deletedAt === undefined) return applier.apply(source, task);
          await applier.release(source, task);
          return done;
        },
      };
    },
  });
}

/** A push that was told, and somebody who asks. */
const sourceWatch: ObjectWatch = {
  kind: ConfigSource,
  namesOf: ({ name, object, previous }) =>
    previous === undefined || isDeepStrictEqual(wakingOf(object), wakingOf(previous)) ? [] : [name],
};

function wakingOf(object: Change["object"]): readonly unknown[] {
  const { pushedAt, requestedAt } = typed(ConfigSource, object).status.source ?? {};
  return [pushedAt, requestedAt];
}

/** Credentials that were renewed, and users who may do something else now. */
function selectedBy(kind: typeof Credential | typeof User, field: string): ObjectWatch {
  return {
    kind,
    namesOf: ({ name }, { store }) =>
      store.objects.listNames(ConfigSource, { fields: parseFieldSelector(ConfigSource, `${field}=${name}`) }),
  };
}

/** Objects that people have changed by hand: the status tells of them. */
const ownWatches: readonly ObjectWatch[] = kinds
  .filter(({ kind }) => configKinds.some((each) => each === kind))
  .map((kind) => ({
    kind,
    namesOf: ({ object, previous }) => {
      const { configSource, overriddenBy } = object.metadata.managedBy ?? {};
      const isSame = overriddenBy === previous?.metadata.managedBy?.overriddenBy;
      return configSource === undefined || isSame ? [] : [configSource];
    },
  }));
