import { isRecord } from "@bowline/core";

import { serverSideApply } from "../apply/server-side-apply.ts";
import { applyJsonPatch } from "../patch/json-patch.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import { applyStrategicPatch } from "../patch/strategic-patch.ts";
import type { JsonRecord } from "../store/json-value.ts";
import { timestamp } from "../store/object-meta.ts";
import { apiVersionOf } from "../store/resource-type.ts";
import { schemaOf } from "../store/schema-of.ts";
import type { SimObject } from "../store/sim-api.ts";
import { badRequest, invalid, methodNotAllowed } from "../store/status-errors.ts";
import { namespaceOf, type ApiRequest } from "./api-request.ts";
import { liveInVersion, sendObject, writeOptions } from "./object-verbs.ts";
import { mediaType, parseJsonValue, parseYamlValue, readBody, unsupportedMediaType } from "./request-body.ts";
import { checkName, objectFromBody } from "./request-object.ts";

const jsonPatchType = "application/json-patch+json";
const mergePatchType = "application/merge-patch+json";
const strategicPatchType = "application/strategic-merge-patch+json";
const applyPatchType = "application/apply-patch+yaml";

export async function handlePatch(call: ApiRequest): Promise<void> {
  const type = mediaType(call.request);
  const accepted = acceptedTypes(call);
  if (!accepted.includes(type)) throw unsupportedMediaType(accepted);
  const body = await readBody(call.request);
  if (type === applyPatchType) {
    handleApply(call, parseYamlValue(body));
    return;
  }
  const live = liveInVersion(call);
  const patched = objectFromBody(call, applyPatch(call, type, { live, patch: parseJsonValue(body) }));
  checkName(patched, live.metadata.name);
  sendObject(call, 200, call.store.updateObject(call.type, patched, writeOptions(call)));
}

/** The patched form of any object, by the kind of patch the client sent. */
export function applyPatch(
  call: ApiRequest,
  type: string,
  { live, patch }: { live: JsonRecord; patch: unknown },
): JsonRecord {
  switch (type) {
    case jsonPatchType:
      return applyJsonPatch(live, patch);
    case mergePatchType:
      return applyMergePatch(live, patch);
    default: {
      const schema = schemaOf(call.type, call.place);
      if (!schema) throw unsupportedMediaType(acceptedTypes(call));
      return applyStrategicPatch(live, patch, schema);
    }
  }
}

function handleApply(call: ApiRequest, applied: unknown): void {
  if (!isRecord(applied)) throw badRequest("error decoding YAML: the apply patch must be an object");
  const manager = call.query.get("fieldManager");
  if (!manager) {
    throw invalid({ group: "meta.k8s.io", kind: "PatchOptions" }, "", [
      {
        field: "fieldManager",
        reason: "FieldValueRequired",
        message: "Required value: is required for apply patch",
      },
    ]);
  }
  const schema = schemaOf(call.type, call.place);
  if (!schema) throw methodNotAllowed();
  const name = call.target.name ?? "";
  const wanted = objectFromBody(call, applied);
  checkName(wanted, name);
  const exists = call.store.objects.table(call.type.key).get(namespaceOf(call), name) !== undefined;
  const { subresource } = call.target;
  // A part of an object makes no object: what is not there is told, as it is by asking for it.
  const live = exists || subresource !== undefined ? liveInVersion(call) : undefined;
  const merged = serverSideApply({
    live,
    applied: { ...applied, metadata: appliedMetadata(applied, wanted) },
    manager,
    force: call.query.get("force") === "true",
    schema,
    apiVersion: apiVersionOf(call.place),
    time: timestamp(call.clock.now()),
    minorVersion: call.store.minorVersion,
    ...(subresource === undefined ? {} : { subresource }),
  });
  const object = objectFromBody(call, merged);
  const options = { ...writeOptions(call), applied: true };
  if (live) sendObject(call, 200, call.store.updateObject(call.type, object, options));
  else sendObject(call, 201, call.store.createObject(call.type, object, options));
}

/** The namespace may come from the path alone. */
function appliedMetadata(applied: JsonRecord, wanted: SimObject): JsonRecord {
  const metadata = isRecord(applied["metadata"]) ? applied["metadata"] : {};
  const { namespace } = wanted.metadata;
  return namespace === undefined ? metadata : { ...metadata, namespace };
}

function acceptedTypes(call: ApiRequest): string[] {
  const always = [jsonPatchType, mergePatchType, applyPatchType];
  return call.type.custom ? always : [jsonPatchType, mergePatchType, strategicPatchType, applyPatchType];
}
