import type { Scope } from "../check/scope.ts";
import { textOf, type ConfigMap, type ConfigValue } from "../model/config-value.ts";
import { emitYaml } from "../model/emit-yaml.ts";
import type { Field } from "../model/field.ts";
import type { ObjectRef } from "../model/kube-object.ts";
import type { Root } from "../root/read-root.ts";
import { remoteWriteConfig } from "../root/remote-write.ts";
import { keep, set } from "../scrape/rules.ts";
import type { Collection } from "./collect.ts";

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
  /** Identities of the entries so far: Prometheus refuses two that are equal or have one name. */
  readonly seen: Set<string>;
  readonly adapt: (config: ConfigMap) => ConfigMap;
}

/** A bad entry is left out and reported; the others go on. */
function readAll(spec: Field, scope: Scope, { seen, adapt }: ReadAllOptions): ConfigMap[] {
  return spec
    .get("remoteWrite")
    .list()
    .flatMap((item) => {
      const { value, problem } = scope.isolated(item, remoteWriteConfig);
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

/**
 * The label of series in a collector with several instances: every series carries the instance it was scraped for until
 * it is written, and each remote write takes only its own.
 */
const label = "bowline_instance";

/** The job under a name that no other instance has. Its targets see the name it would have alone. */
export function routeJob(job: ConfigMap, instance: ObjectRef): ConfigMap {
  const name = textOf(job["job_name"]);
  const rules = asList(job["relabel_configs"]);
  const metricRules = asList(job["metric_relabel_configs"]);
  return {
    ...job,
    job_name: `${idOf(instance)}/${name}`,
    relabel_configs: [set("job", name), ...rules, set(label, idOf(instance))],
    // A label of this name that a target exposes must not send its series to somebody else.
    metric_relabel_configs: [...metricRules, set(label, idOf(instance))],
  };
}

/** The remote write of one instance, under a name that no other instance has: two teams may both call theirs «main». */
function routeOwnWrite(config: ConfigMap, instance: ObjectRef): ConfigMap {
  const name = textOf(config["name"]);
  const named = name === "" ? config : { ...config, name: `${idOf(instance)}/${name}` };
  return routeRemoteWrite(named, [instance]);
}

function routeRemoteWrite(config: ConfigMap, instances: readonly ObjectRef[]): ConfigMap {
  const regex = instances.map((instance) => idOf(instance).replaceAll(".", "\\.")).join("|");
  return {
    ...config,
    write_relabel_configs: [
      keep(label, regex),
      { regex: label, action: "labeldrop" },
      ...asList(config["write_relabel_configs"]),
    ],
  };
}

function idOf({ namespace, name }: ObjectRef): string {
  return `${namespace}/${name}`;
}

function asList(value: ConfigValue | undefined): readonly ConfigValue[] {
  return Array.isArray(value) ? value : [];
}
