import { BowlineError, hasCode, isRecord } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import type { EngineContext } from "../cluster/engine-context.ts";
import { placeOf } from "../cluster/live-object.ts";
import { withField } from "../fields/edit-fields.ts";
import type { LeftField } from "../fields/left-behind.ts";
import type { RenderedObject } from "../render/render-workload.ts";
import { fieldManager } from "../workload.ts";

/** Before this version, an apply removes of an object only what its manager owns, and not what the server filled in. */
const removesFilledIn = 21;

/** Whether an apply to this cluster may leave something behind without a word. */
export async function keepsFilledIn({ discovery }: EngineContext): Promise<boolean> {
  try {
    return (await discovery.serverVersion()).minor < removesFilledIn;
  } catch (error) {
    // Whoever may not ask for the version is told when an apply is refused.
    if (hasCode(error, "Forbidden", "NotGranted", "NotFound", "NotKubernetes")) return false;
    throw error;
  }
}

interface Removal {
  readonly wanted: KubeObject;
  readonly live: KubeObject;
  readonly rest: readonly LeftField[];
  readonly isDryRun: boolean;
}

/**
 * Makes an object what is wanted of it by a patch, with the rest set to null: what `kubectl apply` does without
 * `--server-side`. In one request with all that changes, because a Deployment makes new pods for each change of its
 * template, and because an object may be valid neither with the old field beside the new one nor without either.
 */
export async function removeRest(
  context: EngineContext,
  rendered: RenderedObject,
  { wanted, live, rest, isDryRun }: Removal,
): Promise<KubeObject> {
  const { client, signal } = context;
  const { resourceVersion } = live.metadata;
  const how = { ...placeOf(rendered), fieldManager, signal, dryRun: isDryRun };
  const patch = { ...nulled(wanted, rest), metadata: { ...wanted.metadata, resourceVersion } };
  try {
    return await client.patch(rendered.kindInCluster, patch, { ...how, type: "strategic" });
  } catch (error) {
    if (!isUnknownPatch(error)) throw error;
  }
  // Of custom resources the server does not know how to merge lists, so their rest goes first.
  const removals = rest.map(({ place }) => ({ op: "remove", path: pointer(place) }));
  const operations = [{ op: "test", path: "/metadata/resourceVersion", value: resourceVersion }, ...removals];
  return client.patch(rendered.kindInCluster, operations, { ...how, type: "json" });
}

function nulled(wanted: KubeObject, rest: readonly LeftField[]): object {
  const patch = rest.reduce<unknown>((next, { wantedPlace }) => withField(next, wantedPlace, null), wanted);
  return isRecord(patch) ? patch : wanted;
}

function isUnknownPatch(error: unknown): boolean {
  return BowlineError.from(error).details?.["httpStatus"] === 415;
}

function pointer(place: LeftField["place"]): string {
  return place.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
