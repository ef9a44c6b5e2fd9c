import type { Kind, ObjectOf } from "@bowline/api";

import { getObject } from "./objects.ts";
import { request, RequestFailed } from "./request.ts";

/** Controllers write the status now and then, but hardly each time between two requests of ours. */
const maxAttempts = 5;
const staleStatuses = new Set([409, 412]);

/** Changes parts of a spec only while it is as it was shown: the status may change meanwhile. */
export async function changeSpec(
  kind: Kind,
  shown: Pick<ObjectOf<Kind>, "metadata">,
  spec: object,
): Promise<void> {
  const { name, id, generation } = shown.metadata;
  let { resourceVersion } = shown.metadata;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await request(`/api/v1/${kind.plural}/${encodeURIComponent(name)}`, {
        method: "PATCH",
        body: { spec },
        headers: { "content-type": "application/merge-patch+json", "if-match": `"${resourceVersion}"` },
      });
      return;
    } catch (error) {
      const isStale = error instanceof RequestFailed && staleStatuses.has(error.failure.status);
      if (!isStale || attempt === maxAttempts) throw error;
      const { metadata } = await getObject(kind, name);
      if (metadata.id !== id || metadata.generation !== generation) throw error;
      ({ resourceVersion } = metadata);
    }
  }
}
