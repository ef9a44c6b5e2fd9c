import { textOf, type ConfigMap, type ConfigValue } from "../model/config-value.ts";
import { emitYaml } from "../model/emit-yaml.ts";
import { compareText, formatRef } from "../model/kube-object.ts";
import { isConfigMap } from "../model/read-yaml.ts";
import type { RenderResult } from "./render-result.ts";

/** How one set differs from another. It names what changed and shows no values, because those may be secrets. */
export interface RenderDiff {
  readonly equal: boolean;
  readonly jobs: NamedDiff;
  /** By the name of a remote write, or else by its URL. */
  readonly remoteWrites: NamedDiff;
  /** Keys of the global section. */
  readonly global: NamedDiff;
  /** Objects that are rejected in one of the two only. */
  readonly rejected: { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** Whether the same jobs stand in another order, which changes nothing for targets. */
  readonly reordered: boolean;
}

export interface NamedDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly name: string; readonly keys: readonly string[] }[];
}

type Results = Pick<RenderResult, "config" | "sections" | "jobs" | "rejected">;

export function diff(before: Results, after: Results): RenderDiff {
  const [jobsBefore, jobsAfter] = [namesOf(before), namesOf(after)];
  const rejected = compareNames(rejectedNames(before), rejectedNames(after));
  return {
    equal: before.config === after.config && rejected.added.length === 0 && rejected.removed.length === 0,
    jobs: compareMaps(jobConfigs(before), jobConfigs(after)),
    remoteWrites: compareMaps(remoteWrites(before), remoteWrites(after)),
    global: compareMaps(globalKeys(before), globalKeys(after)),
    rejected,
    reordered:
      jobsBefore.join() !== jobsAfter.join() && jobsBefore.toSorted().join() === jobsAfter.toSorted().join(),
  };
}

function namesOf({ jobs }: Results): string[] {
  return jobs.map(({ name }) => name);
}

function rejectedNames({ rejected }: Results): string[] {
  return rejected.map(({ object }) => formatRef(object));
}

function jobConfigs({ jobs }: Results): Map<string, ConfigMap> {
  return new Map(jobs.map(({ name, config }) => [name, config]));
}

function remoteWrites({ sections }: Results): Map<string, ConfigMap> {
  const writes = sections["remote_write"];
  const entries = (Array.isArray(writes) ? writes : []).filter(isConfigMap);
  const named = new Map<string, ConfigMap>();
  for (const entry of entries) {
    const name = textOf(entry["name"] ?? entry["url"]);
    // Several may write to one address.
    const count = [...named.keys()].filter((key) => key === name || key.startsWith(`${name} #`)).length;
    named.set(count === 0 ? name : `${name} #${count + 1}`, entry);
  }
  return named;
}

function globalKeys({ sections }: Results): Map<string, ConfigMap> {
  const global = sections["global"];
  if (!isConfigMap(global)) return new Map();
  return new Map(
    Object.entries(global).flatMap(([key, value]) => (value === undefined ? [] : [[key, asMap(key, value)]])),
  );
}

function asMap(key: string, value: ConfigValue): ConfigMap {
  return isConfigMap(value) ? value : { [key]: value };
}

function compareMaps(
  before: ReadonlyMap<string, ConfigMap>,
  after: ReadonlyMap<string, ConfigMap>,
): NamedDiff {
  const changed = [...before].flatMap(([name, config]) => {
    const other = after.get(name);
    const keys = other === undefined ? [] : changedKeys(config, other);
    return keys.length === 0 ? [] : [{ name, keys }];
  });
  return {
    ...compareNames([...before.keys()], [...after.keys()]),
    changed: changed.sort((a, b) => compareText(a.name, b.name)),
  };
}

function compareNames(
  before: readonly string[],
  after: readonly string[],
): { added: string[]; removed: string[] } {
  const [old, now] = [new Set(before), new Set(after)];
  return { added: [...now.difference(old)].sort(), removed: [...old.difference(now)].sort() };
}

function changedKeys(before: ConfigMap, after: ConfigMap): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys]
    .filter((key) => emitYaml({ value: before[key] }) !== emitYaml({ value: after[key] }))
    .sort();
}
