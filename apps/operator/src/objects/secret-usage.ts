import { deflateRawSync } from "node:zlib";

import { formatRef, type Job, type ObjectRef, type RenderResult } from "@bowline/monitoring";

import { monitorResources } from "./kinds.ts";
import type { Files } from "./secrets.ts";

/** What is in a room. */
export interface Takings {
  readonly monitors: readonly Taking[];
  /** What is there in any case. */
  readonly restBytes: number;
}

/**
 * What monitors take of the configuration. Each is compressed alone: all together take less, and whoever has a text that
 * cannot be compressed bears it.
 */
export function configTakings({ jobs, sections }: Pick<RenderResult, "jobs" | "sections">): Takings {
  const sizeOf = (some: readonly Job[]): number => compressedBytes(some.map(({ config }) => config));
  const monitors = [...jobsOfMonitors(jobs)].flatMap(([name, own]) =>
    own.slice(0, 1).map(({ source: monitor }) => ({ monitor, parts: new Map([[name, sizeOf(own)]]) })),
  );
  const additional = jobs.filter(({ source }) => !isMonitor(source));
  return { monitors, restBytes: compressedBytes({ ...sections, scrape_configs: [] }) + sizeOf(additional) };
}

/** What monitors take of the files; those that others refer to as well are there in any case. */
export function fileTakings(
  { jobs, references }: Pick<RenderResult, "jobs" | "references">,
  files: Files,
): Takings {
  const collected = jobsOfMonitors(jobs);
  const takings = new Map<string, { readonly monitor: ObjectRef; readonly parts: Map<string, number> }>();
  let restBytes = 0;
  for (const { file = "", usedBy } of references) {
    const content = files.get(file);
    if (content === undefined) continue;
    const bytes = file.length + content.length;
    if (!usedBy.every(isMonitor)) {
      restBytes += bytes;
      continue;
    }
    for (const monitor of usedBy) {
      const name = formatRef(monitor);
      if (!collected.has(name)) continue;
      const taking = takings.get(name) ?? { monitor, parts: new Map() };
      takings.set(name, taking);
      taking.parts.set(file, bytes);
    }
  }
  return { monitors: [...takings.values()], restBytes };
}

function jobsOfMonitors(jobs: readonly Job[]): ReadonlyMap<string, readonly Job[]> {
  return Map.groupBy(
    jobs.filter(({ source }) => isMonitor(source)),
    ({ source }) => formatRef(source),
  );
}

function isMonitor({ kind }: ObjectRef): boolean {
  return monitorResources.some((resource) => resource.kind === kind);
}

function compressedBytes(value: unknown): number {
  return deflateRawSync(JSON.stringify(value)).length;
}

/** What a monitor takes of a room that all share. */
export interface Taking {
  readonly monitor: ObjectRef;
  /** How many bytes each part has, by its name. Monitors of one namespace may have a part in common. */
  readonly parts: ReadonlyMap<string, number>;
}

/**
 * The monitors that have to go for the others to fit: while there is too much, the namespace that takes most loses the
 * largest of its monitors. So no namespace can take the room of another that takes less.
 */
export function crowdedOut(takings: readonly Taking[], roomBytes: number): ObjectRef[] {
  const sorted = takings.toSorted((a, b) => (formatRef(a.monitor) < formatRef(b.monitor) ? -1 : 1));
  const shares = [...Map.groupBy(sorted, ({ monitor }) => monitor.namespace).values()].map(
    (own) => new Share(own),
  );
  const out: ObjectRef[] = [];
  const total = (): number => shares.reduce((sum, { bytes }) => sum + bytes, 0);
  while (total() > Math.max(0, roomBytes)) {
    const most = shares.reduce((one, other) => (other.bytes > one.bytes ? other : one));
    const lost = most.lose();
    if (lost !== undefined) out.push(lost.monitor);
  }
  return out;
}

/** What a namespace takes. */
class Share {
  bytes = 0;
  /** The largest last; of equals, which come sorted, the last. */
  readonly #takings: Taking[];
  /** How many monitors have a part. */
  readonly #holders = new Map<string, number>();

  constructor(takings: readonly Taking[]) {
    this.#takings = takings.toSorted((a, b) => sizeOf(a) - sizeOf(b));
    for (const { parts } of takings) for (const part of parts) this.#hold(part, 1);
  }

  lose(): Taking | undefined {
    const lost = this.#takings.pop();
    for (const part of lost?.parts ?? []) this.#hold(part, -1);
    return lost;
  }

  #hold([name, bytes]: readonly [string, number], more: 1 | -1): void {
    const before = this.#holders.get(name) ?? 0;
    this.#holders.set(name, before + more);
    if (before === 0) this.bytes += bytes;
    if (before + more === 0) this.bytes -= bytes;
  }
}

function sizeOf({ parts }: Taking): number {
  return [...parts.values()].reduce((sum, bytes) => sum + bytes, 0);
}
