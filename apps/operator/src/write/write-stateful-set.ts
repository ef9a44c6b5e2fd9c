import { resources, type KubeClient } from "@bowline/kube";

import type { StatefulSet } from "../objects/stateful-set.ts";
import { containsFields } from "./contains-fields.ts";
import type { ObjectWriter, WriteRequest, Written } from "./object-writer.ts";

type StatefulSetRequest = Omit<WriteRequest<StatefulSet>, "resource">;

export interface WrittenSet extends Written<StatefulSet> {
  /** It had to be deleted and made anew. */
  readonly recreated: boolean;
}

/**
 * Like any other object, unless a field has to change that cannot. Then the StatefulSet alone is deleted: its pods go on
 * collecting as orphans, and the new one, which selects the same labels, adopts them. Claims stay, too.
 */
export async function writeStatefulSet(
  { client, writer }: { readonly client: KubeClient; readonly writer: ObjectWriter },
  request: StatefulSetRequest,
): Promise<WrittenSet> {
  const asked = { ...request, resource: resources.statefulSets };
  const live = await writer.find(asked);
  if (live === undefined || !mustBeRecreated(live, request.wanted)) {
    return { ...(await writer.write(asked, live)), recreated: false };
  }
  await checkAcceptable(client, request);
  const { name = "", namespace = "", uid = "" } = live.metadata;
  await client.delete(resources.statefulSets, {
    name,
    namespace,
    propagationPolicy: "Orphan",
    preconditions: { uid },
    signal: request.signal,
  });
  // Throws while its pods are being released.
  const after = await writer.find(asked);
  return { ...(await writer.write(asked, after)), recreated: true };
}

const immutableFields = ["serviceName", "podManagementPolicy", "selector", "volumeClaimTemplates"] as const;

function mustBeRecreated(live: StatefulSet, wanted: StatefulSet): boolean {
  const claims = (set: StatefulSet): number => set.spec.volumeClaimTemplates?.length ?? 0;
  return (
    claims(live) !== claims(wanted) ||
    immutableFields.some((field) => !containsFields(live.spec[field], wanted.spec[field]))
  );
}

/** Nothing is deleted for one that the server would then refuse. It is asked under a name that is free. */
async function checkAcceptable(client: KubeClient, { wanted, signal }: StatefulSetRequest): Promise<void> {
  const { name = "", ...metadata } = wanted.metadata;
  const copy = { ...wanted, metadata: { ...metadata, generateName: `${name}-` } };
  await client.create(resources.statefulSets, copy, { dryRun: true, signal });
}
