import { isDeepStrictEqual } from "node:util";

import { hasCode, type DeepReadonly } from "@bowline/core";
import type { KubeClient, KubeObject, ResourceRef } from "@bowline/kube";

/** Writes what an object's status should be, if it is anything else. */
export class StatusWriter {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async write(
    resource: ResourceRef,
    object: DeepReadonly<KubeObject>,
    status: object,
    signal: AbortSignal,
  ): Promise<void> {
    const { name = "", namespace, resourceVersion } = object.metadata;
    if (isDeepStrictEqual({ ...asObject(object["status"]), ...status }, object["status"])) return;
    try {
      await this.#client.patch(
        resource,
        { metadata: { resourceVersion }, status },
        {
          type: "merge",
          subresource: "status",
          name,
          ...(namespace === undefined ? {} : { namespace }),
          signal,
        },
      );
    } catch (error) {
      // Somebody was faster: the informer brings what they wrote, and with it another look.
      if (!hasCode(error, "Conflict", "NotFound")) throw error;
    }
  }
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
