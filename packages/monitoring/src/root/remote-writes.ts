import type { Collection } from "../collect.ts";
import { textOf, type ConfigMap } from "../model/config-value.ts";
import { emitYaml } from "../yaml/emit-yaml.ts";
import type { Field } from "../field/field.ts";
import type { Scope } from "../scrape/scope.ts";
import type { Root } from "./read-root.ts";
import { remoteWriteConfig } from "./remote-write.ts";
import { routeOwnWrite, routeRemoteWrite } from "./routing.ts";

/** Where everything is written to. With several instances each has its own, or shares that of the root. */
export function remoteWrites(root: Root, collections: readonly Collection[]): ConfigMap[] {
  const isRouted = collections.length > 1;
  const seen = new Set<string>();
  const own = collections.filter(({ owner, spec }) => owner !== root.scope.owner && hasOwn(spec));
  const sharing = collections.filter((collection) => !own.includes(collection)).map(({ owner }) => owner);
  const writes = own.flatMap(({ spec, scope, owner }) =>
    readAll(spec, scope, {
      seen,
      adapt: (config) => (isRouted ? routeOwnWrite(config, owner) : config),
    }),
  );
  if (sharing.length === 0 && collections.length > 0) return writes;
  const adapt = (config: ConfigMap): ConfigMap => (isRouted ? routeRemoteWrite(config, sharing) : config);
  return [...readAll(root.spec, root.scope, { seen, adapt }), ...writes];
}

function hasOwn(spec: Field): boolean {
  return spec.get("remoteWrite").list().length > 0;
}

interface ReadAllOptions {
  /** What identifies the entries so far: Prometheus refuses two that are equal or have one name. */
  readonly seen: Set<string>;
  readonly adapt: (config: ConfigMap) => ConfigMap;
}

/** A bad entry is left out and reported; the others go on. */
function readAll(spec: Field, scope: Scope, { seen, adapt }: ReadAllOptions): ConfigMap[] {
  return spec
    .get("remoteWrite")
    .list()
    .flatMap((item) => {
      const { value, problem } = scope.apart(item, remoteWriteConfig);
      if (problem !== undefined) return [];
      const config = adapt(value);
      const ids = [
        emitYaml({ ...config, name: undefined }),
        ...(config["name"] === undefined ? [] : [textOf(config["name"])]),
      ];
      if (ids.some((id) => seen.has(id))) {
        item.reject(
          `${item.path} equals another remote write, or has its name.`,
          "Remove it, or give it another name.",
        );
        return [];
      }
      for (const id of ids) seen.add(id);
      return [config];
    });
}
