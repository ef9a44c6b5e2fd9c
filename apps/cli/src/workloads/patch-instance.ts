import { WorkloadInstance } from "@bowline/api";
import type { Client, ReadObject } from "@bowline/client";
import { BowlineError, hasCode } from "@bowline/core";

/** Controllers write the status now and then, but hardly each time between two requests of ours. */
const maxAttempts = 5;

/** Changes the spec only while it is as it was shown: the status may change meanwhile. */
export async function patchInstance(
  client: Client,
  shown: ReadObject<typeof WorkloadInstance>,
  spec: object,
  signal: AbortSignal,
): Promise<ReadObject<typeof WorkloadInstance>> {
  const { name, id, generation } = shown.metadata;
  let ifMatch = shown.metadata.resourceVersion;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await client.patch(WorkloadInstance, name, { spec }, { ifMatch, signal });
    } catch (thrown) {
      if (!hasCode(thrown, "Conflict", "PreconditionFailed") || attempt === maxAttempts) throw thrown;
      const { metadata } = await client.get(WorkloadInstance, name, { signal });
      if (metadata.id !== id || metadata.generation !== generation) {
        throw new BowlineError(
          "Conflict",
          `Somebody changed workloadinstance/${name} meanwhile, and nothing was changed; look at it again.`,
          { cause: thrown },
        );
      }
      ifMatch = metadata.resourceVersion;
    }
  }
}

/** A patch that agrees to a revision; what was agreed to for another one counts no more. */
export function approval(
  { spec: { approved } }: ReadObject<typeof WorkloadInstance>,
  revision: string,
  { wave, failures }: { readonly wave?: number | undefined; readonly failures?: number | undefined },
): object {
  const known = approved?.revision === revision ? approved : undefined;
  const values = { wave: wave ?? known?.wave, failures: failures ?? known?.failures };
  const set = Object.entries(values).filter(([, value]) => value !== undefined);
  const cleared = Object.keys(values).filter(
    (key) => approved !== undefined && Object.hasOwn(approved, key) && !set.some(([name]) => name === key),
  );
  return {
    approved: {
      revision,
      ...Object.fromEntries(set),
      ...Object.fromEntries(cleared.map((key) => [key, null])),
    },
  };
}
