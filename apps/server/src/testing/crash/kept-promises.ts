import type { Cluster } from "@bowline/api";

import type { PromisedObject } from "./object-client.ts";
import type { WatchedChange } from "./resuming-watch.ts";

const maxShown = 10;

/** Where what is there differs from what was acknowledged; nothing when every promise was kept. */
export function brokenByState(promised: readonly PromisedObject[], found: readonly Cluster[]): string[] {
  const expected = promised
    .filter(({ isDeleted }) => !isDeleted)
    .map(({ name, regions }) => `${name} at generation ${regions.length} in ${regions.at(-1)}`);
  const there = found.map(
    ({ metadata: { name, generation }, spec }) => `${name} at generation ${generation} in ${spec.region}`,
  );
  return differences(expected, there);
}

/** Where what a watch told differs from what was acknowledged: every change of what is desired, once, in its order. */
export function brokenByWatch(
  promised: readonly PromisedObject[],
  changes: readonly WatchedChange[],
): string[] {
  const expected = promised.map(({ name, regions, isDeleted }) =>
    [name, ...regions, ...(isDeleted ? ["DELETED"] : [])].join(" "),
  );
  const told = new Map<string, { text: string; generation: number }>();
  for (const { type, name, generation, region } of changes) {
    const before = told.get(name) ?? { text: name, generation: 0 };
    // A change of the status repeats the generation.
    const news = type === "DELETED" ? ` ${type}` : generation === before.generation ? "" : ` ${region}`;
    told.set(name, { text: before.text + news, generation });
  }
  const versions = new Set(changes.map(({ resourceVersion }) => resourceVersion));
  const untold = promised
    .flatMap(({ resourceVersions }) => resourceVersions)
    .filter((version) => !versions.has(Number(version)))
    .map((version) => `nothing about resourceVersion ${version}`);
  const histories = differences(
    expected,
    Array.from(told.values(), ({ text }) => text),
  );
  return [...histories, ...untold.slice(0, maxShown), ...repeated(changes)];
}

/** Events that did not come after all those before them. */
function repeated(changes: readonly WatchedChange[]): string[] {
  return changes
    .filter(({ resourceVersion }, index) => resourceVersion <= (changes[index - 1]?.resourceVersion ?? 0))
    .map((change) => `not after the one before: ${JSON.stringify(change)}`)
    .slice(0, maxShown);
}

/** The first few texts that only one side has. */
export function differences(expected: readonly string[], found: readonly string[]): string[] {
  const [expectedSet, foundSet] = [new Set(expected), new Set(found)];
  const missing = expected.filter((text) => !foundSet.has(text)).map((text) => `missing: ${text}`);
  const extra = found.filter((text) => !expectedSet.has(text)).map((text) => `unexpected: ${text}`);
  return [...missing.slice(0, maxShown), ...extra.slice(0, maxShown)];
}
