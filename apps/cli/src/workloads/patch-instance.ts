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
