import { deflateRawSync } from "node:zlib";

import { formatRef, type Job, type ObjectRef, type RenderResult } from "@bowline/monitoring";

import { monitorResources } from "./kinds.ts";
import type { Files } from "./secrets.ts";

/** A monitor's part of the Secrets, which all monitors of an agent share. */
export interface MonitorUsage {
  readonly monitor: ObjectRef;
  /** How many bytes each part has, by its name. Monitors of one namespace may have a part in common. */
  readonly parts: ReadonlyMap<string, number>;
}

/** All that is in the Secrets of one purpose. */
export interface SecretUsage {
  readonly monitors: readonly MonitorUsage[];
  /** Bytes that stay whichever monitors are left out. */
  readonly restBytes: number;
}

/**
 * Usage of the Secrets with the configuration. Each monitor is compressed alone: all together take less, and the one
 * whose text cannot be compressed bears it.
 */
export function configUsage({ jobs, sections }: Pick<RenderResult, "jobs" | "sections">): SecretUsage {
  const sizeOf = (some: readonly Job[]): number => compressedBytes(some.map(({ config }) => config));
  const monitors = [...jobsOfMonitors(jobs)].flatMap(([name, own]) =>
    own.slice(0, 1).map(({ source: monitor }) => ({ monitor, parts: new Map([[name, sizeOf(own)]]) })),
  );
  const additional = jobs.filter(({ source }) => !isMonitor(source));
  return { monitors, restBytes: compressedBytes({ ...sections, scrape_configs: [] }) + sizeOf(additional) };
}

/** Usage of the Secrets with files. A file that others than monitors refer to stays in any case. */
export function fileUsage(
  { jobs, references }: Pick<RenderResult, "jobs" | "references">,
  files: Files,
): SecretUsage {
  const collected = jobsOfMonitors(jobs);
  const usages = new Map<string, { readonly monitor: ObjectRef; readonly parts: Map<string, number> }>();
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
      const usage = usages.get(name) ?? { monitor, parts: new Map() };
      usages.set(name, usage);
      usage.parts.set(file, bytes);
    }
  }
  return { monitors: [...usages.values()], restBytes };
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

/**
 * The monitors that have to go for the others to fit the budget: while there is too much, the namespace that uses most
 * loses the largest of its monitors. So no namespace can use up the share of another that uses less.
 */
export function evictedMonitors(usages: readonly MonitorUsage[], budgetBytes: number): ObjectRef[] {
  const sorted = usages.toSorted((a, b) => (formatRef(a.monitor) < formatRef(b.monitor) ? -1 : 1));
  const namespaces = [...Map.groupBy(sorted, ({ monitor }) => monitor.namespace).values()].map(
    (own) => new NamespaceUsage(own),
  );
  const out: ObjectRef[] = [];
  const total = (): number => namespaces.reduce((sum, { bytes }) => sum + bytes, 0);
  while (total() > Math.max(0, budgetBytes)) {
    const most = namespaces.reduce((one, other) => (other.bytes > one.bytes ? other : one));
    const evicted = most.evictLargest();
    if (evicted !== undefined) out.push(evicted.monitor);
  }
  return out;
}

class NamespaceUsage {
  bytes = 0;
  /** The largest last; of equals, which come sorted, the last. */
  readonly #monitors: MonitorUsage[];
  /** How many monitors have a part. */
  readonly #holders = new Map<string, number>();

  constructor(usages: readonly MonitorUsage[]) {
    this.#monitors = usages.toSorted((a, b) => sizeOf(a) - sizeOf(b));
    for (const { parts } of usages) for (const part of parts) this.#hold(part, 1);
  }

  evictLargest(): MonitorUsage | undefined {
    const evicted = this.#monitors.pop();
    for (const part of evicted?.parts ?? []) this.#hold(part, -1);
    return evicted;
  }

  #hold([name, bytes]: readonly [string, number], more: 1 | -1): void {
    const before = this.#holders.get(name) ?? 0;
    this.#holders.set(name, before + more);
    if (before === 0) this.bytes += bytes;
    if (before + more === 0) this.bytes -= bytes;
  }
}

function sizeOf({ parts }: MonitorUsage): number {
  return [...parts.values()].reduce((sum, bytes) => sum + bytes, 0);
}
