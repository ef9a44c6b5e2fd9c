import { isDeepStrictEqual } from "node:util";

import { BowlineError } from "@bowline/core";
import type { KubeClient, KubeObject, ResourceRef } from "@bowline/kube";

import { apiVersionOf } from "../api/resources.ts";

/** Its own manager: with that of the objects, one apply would take away what the other has set. */
const fieldManager = "bowline-operator-status";

export interface StatusTarget {
  readonly client: KubeClient;
  readonly resource: ResourceRef;
  /** As it was read. */
  readonly object: KubeObject;
  readonly signal: AbortSignal;
}

/** Writes the status of an object, unless it says that already. */
export async function writeStatus(target: StatusTarget, status: object): Promise<void> {
  const { client, resource, object, signal } = target;
  if (isDeepStrictEqual(object["status"], status)) return;
  const { name = "", namespace = "" } = object.metadata;
  const { kind } = resource;
  const said = { apiVersion: apiVersionOf(resource), kind, metadata: { name, namespace }, status };
  try {
    await client.apply(resource, said, { fieldManager, force: true, subresource: "status", signal });
  } catch (error) {
    // It was deleted meanwhile, and nobody will read its status.
    if (BowlineError.from(error).code !== "NotFound") throw error;
  }
}
