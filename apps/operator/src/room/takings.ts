import { deflateRawSync } from "node:zlib";

import { formatRef, type Job, type ObjectRef, type RenderResult } from "@bowline/monitoring";

import { monitorResources } from "../api/resources.ts";
import type { Files } from "../objects/file-secrets.ts";
import type { Taking } from "./crowded-out.ts";

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
