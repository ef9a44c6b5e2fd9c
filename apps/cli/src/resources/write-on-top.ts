import type { Kind, WorkloadDefinition, WorkloadInstance, WriteBodyOf } from "@bowline/api";
import type { Applied, Client, ReadObject } from "@bowline/client";
import { hasCode } from "@bowline/core";

import { isNotFound } from "./find-objects.ts";

interface WriteOptions {
  readonly client: Client;
  readonly name: string;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

/** Controllers write the status now and then, but hardly each time between two requests of ours. */
const maxAttempts = 5;

/** Writes an object made from the one that is there, and from that one only. */
export async function writeOnTop<K extends typeof WorkloadDefinition | typeof WorkloadInstance>(
  kind: K,
  bodyFrom: (current: ReadObject<K> | undefined) => WriteBodyOf<K>,
  { client, name, dryRun, signal }: WriteOptions,
): Promise<Applied<K>> {
  for (let attempt = 1; ; attempt += 1) {
    const current = await currentObject(client, kind, name, signal);
    const condition =
      current === undefined ? ({ ifNoneMatch: "*" } as const) : { ifMatch: current.metadata.resourceVersion };
    try {
      return await client.apply(kind, name, bodyFrom(current), { ...condition, dryRun, signal });
    } catch (thrown) {
      if (!hasCode(thrown, "Conflict", "PreconditionFailed") || attempt === maxAttempts) throw thrown;
    }
  }
}

export async function currentObject<K extends Kind>(
  client: Client,
  kind: K,
  name: string,
  signal: AbortSignal,
): Promise<ReadObject<K> | undefined> {
  try {
    return await client.get(kind, name, { signal });
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}
