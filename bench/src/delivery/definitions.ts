import { setTimeout as sleep } from "node:timers/promises";

import type { WorkloadDefinition } from "@bowline/api";

import { ask } from "../tunnel/ask.ts";
import type { ServerTarget } from "../tunnel/product-server.ts";

export interface GitDefinition {
  readonly name: string;
  readonly url: string;
  readonly interval: string;
  readonly isTold: boolean;
}

/** What is not there by then never will be. */
const limitMs = 300_000;
const lookMs = 500;

export async function define(api: ServerTarget, definition: GitDefinition): Promise<void> {
  const { name, url, interval, isTold } = definition;
  const git = { url, interval, credential: "git", ...(isTold ? { webhook: { credential: "hook" } } : {}) };
  const body = { metadata: { name }, spec: { source: { git } } };
  await ask(api, { method: "POST", path: "/api/v1/workloaddefinitions", body });
}

export async function readDefinition(api: ServerTarget, name: string): Promise<WorkloadDefinition> {
  return JSON.parse(await ask(api, { path: `/api/v1/workloaddefinitions/${name}` }));
}

/** Resolves when the definition is what its repository has. */
export async function isUpToDate(api: ServerTarget, name: string): Promise<void> {
  await until(async () => {
    const { status } = await readDefinition(api, name);
    const told = status.conditions.find(({ type }) => type === "UpToDate");
    return told?.status === "True" || JSON.stringify(told);
  });
}

/** Resolves when so many definitions are. */
export async function areUpToDate(api: ServerTarget, count: number): Promise<void> {
  const selector = encodeURIComponent("status.conditions.UpToDate=True");
  const path = `/api/v1/workloaddefinitions?limit=1&fieldSelector=${selector}`;
  await until(async () => {
    const { metadata } = JSON.parse(await ask(api, { path }));
    const found = Number(metadata.total);
    return found >= count || `${found} of ${count} definitions are up to date`;
  });
}

/** Looks until it is true; what it is instead is told when the time is over. */
async function until(look: () => Promise<true | string | undefined>): Promise<void> {
  for (const endMs = performance.now() + limitMs; ; await sleep(lookMs)) {
    const found = await look();
    if (found === true) return;
    if (performance.now() > endMs) throw new Error(`Gave up waiting: ${found ?? "nothing is known yet"}`);
  }
}
