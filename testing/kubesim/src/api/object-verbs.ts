import type { WriteOptions } from "../store/cluster-store.ts";
import { toVersion } from "../store/convert.ts";
import { apiVersionOf } from "../store/resource-type.ts";
import type { SimObject } from "../store/sim-api.ts";
import { invalid, resourceVersionTooLarge } from "../store/status-errors.ts";
import { negotiateShape } from "./accept.ts";
import { fieldManager, isDryRun, namespaceOf, type ApiRequest } from "./api-request.ts";
import { listPage } from "./list-page.ts";
import { parseListOptions } from "./list-options.ts";
import { listPieces, representationOf, type Representation } from "./representation.ts";
import { mediaType, parseObject, readBody } from "./request-body.ts";
import { checkName, objectFromBody } from "./request-object.ts";
import { sendJson, sendPieces } from "./respond.ts";

export function handleGet(call: ApiRequest): void {
  const asked = Number(call.query.get("resourceVersion") ?? 0);
  const { revision } = call.store.objects;
  if (asked > revision) throw resourceVersionTooLarge(asked, revision);
  sendObject(call, 200, call.store.live(call.type, namespaceOf(call), call.target.name ?? ""));
}

export async function handleList(call: ApiRequest): Promise<void> {
  const { store, type, place } = call;
  const form = representation(call, true);
  const options = parseListOptions(call.query, false, { type, place, minorVersion: store.minorVersion });
  const { items, metadata } = listPage(
    {
      table: store.objects.table(type.key),
      namespace: namespaceOf(call),
      currentRevision: store.objects.revision,
    },
    options,
  );
  await sendPieces(call.response, listPieces(form, items, metadata));
}

export async function handleCreate(call: ApiRequest): Promise<void> {
  const form = representation(call, false);
  const body = parseObject(await readBody(call.request), mediaType(call.request));
  const created = call.store.createObject(call.type, objectFromBody(call, body), writeOptions(call));
  sendJson(call.response, 201, form.object(created));
}

export async function handleUpdate(call: ApiRequest): Promise<void> {
  const name = call.target.name ?? "";
  const body = parseObject(await readBody(call.request), mediaType(call.request));
  const desired = objectFromBody(call, body);
  checkName(desired, name);
  const exists = call.store.objects.table(call.type.key).get(namespaceOf(call), name) !== undefined;
  if (!exists && call.type.createsOnUpdate && call.target.subresource === undefined) {
    sendObject(call, 201, call.store.createObject(call.type, desired, writeOptions(call)));
    return;
  }
  if (exists) checkUpdateCondition(call, desired);
  sendObject(call, 200, call.store.updateObject(call.type, desired, writeOptions(call)));
}

/** Kinds that must not be overwritten blindly need the version the client has seen. */
function checkUpdateCondition(call: ApiRequest, desired: SimObject): void {
  if (call.type.updatesUnconditionally || desired.metadata.resourceVersion !== "") return;
  throw invalid(call.type, desired.metadata.name, [
    {
      field: "metadata.resourceVersion",
      reason: "FieldValueInvalid",
      message: "Invalid value: 0x0: must be specified for an update",
    },
  ]);
}

export function writeOptions(call: ApiRequest): WriteOptions {
  const { subresource } = call.target;
  return {
    owner: {
      manager: fieldManager(call),
      apiVersion: apiVersionOf(call.place),
      ...(subresource === undefined ? {} : { subresource }),
    },
    dryRun: isDryRun(call),
    ...(call.admit ? { admit: call.admit } : {}),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

export function sendObject(call: ApiRequest, code: number, object: SimObject): void {
  sendJson(call.response, code, representation(call, false).object(object));
}

export function representation(call: ApiRequest, list: boolean): Representation {
  return representationOf({
    type: call.type,
    place: call.place,
    shape: negotiateShape(call.request.headers.accept, list),
    includeObject: call.query.get("includeObject"),
    nowMs: () => call.clock.now(),
    minorVersion: call.store.minorVersion,
  });
}

/** The live object in the version the client speaks. */
export function liveInVersion(call: ApiRequest): SimObject {
  const live = call.store.live(call.type, namespaceOf(call), call.target.name ?? "");
  return toVersion(call.type, live, apiVersionOf(call.place));
}
