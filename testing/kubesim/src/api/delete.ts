import { isRecord } from "@bowline/core";

import type { DeleteOptions } from "../store/deletion.ts";
import { readNumber, readString, type JsonRecord } from "../store/json-value.ts";
import type { ResourceType } from "../store/resource-type.ts";
import type { SimObject } from "../store/sim-api.ts";
import { badRequest, invalid } from "../store/status-errors.ts";
import { isDryRun, namespaceOf, type ApiRequest } from "./api-request.ts";
import { listPage } from "./list-page.ts";
import { parseListOptions } from "./list-options.ts";
import { representation, sendObject } from "./object-verbs.ts";
import { listPieces } from "./representation.ts";
import { mediaType, parseObject, readBody } from "./request-body.ts";
import { sendJson, sendPieces } from "./respond.ts";

export async function handleDelete(call: ApiRequest): Promise<void> {
  const options = await deleteOptions(call);
  const { object, removed } = call.store.deleteObject(
    call.type,
    namespaceOf(call),
    call.target.name ?? "",
    options,
  );
  if (removed && !call.type.returnsDeleted) sendJson(call.response, 200, deletedStatus(call.type, object));
  else sendObject(call, 200, object);
}

export async function handleDeleteCollection(call: ApiRequest): Promise<void> {
  const { store, type, place } = call;
  const options = await deleteOptions(call);
  const { items, metadata } = listPage(
    {
      table: store.objects.table(type.key),
      namespace: namespaceOf(call),
      currentRevision: store.objects.revision,
    },
    parseListOptions(call.query, false, { type, place, minorVersion: store.minorVersion }),
  );
  const gone: SimObject[] = [];
  for (const { metadata: meta } of items) {
    // What an earlier removal took along is gone already.
    if (!store.objects.table(type.key).get(meta.namespace, meta.name)) continue;
    gone.push(store.deleteObject(type, meta.namespace, meta.name, options).object);
  }
  await sendPieces(
    call.response,
    listPieces(representation(call, true), gone, { resourceVersion: metadata.resourceVersion }),
  );
}

/** Options come in the body or, from older clients, in the query. */
async function deleteOptions(call: ApiRequest): Promise<DeleteOptions> {
  const bytes = await readBody(call.request);
  const body = bytes.length === 0 ? {} : parseObject(bytes, mediaType(call.request));
  return readDeleteOptions(body, call.query, isDryRun(call));
}

export function readDeleteOptions(body: JsonRecord, query: URLSearchParams, dryRun: boolean): DeleteOptions {
  const propagation = propagationOf(body, query);
  const grace = readNumber(body, "gracePeriodSeconds") ?? numberOf(query, "gracePeriodSeconds");
  const uid = readString(body, "preconditions.uid");
  const resourceVersion = readString(body, "preconditions.resourceVersion");
  return {
    ...(propagation === undefined ? {} : { propagation }),
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    dryRun: dryRun || (Array.isArray(body["dryRun"]) && body["dryRun"].includes("All")),
  };
}

function propagationOf(body: JsonRecord, query: URLSearchParams): DeleteOptions["propagation"] {
  const policy = readString(body, "propagationPolicy") ?? query.get("propagationPolicy") ?? undefined;
  const orphan =
    isRecord(body) && typeof body["orphanDependents"] === "boolean" ? body["orphanDependents"] : undefined;
  if (policy !== undefined && orphan !== undefined) {
    throw badRequest("orphanDependents and deletionPropagation cannot be both set");
  }
  switch (policy) {
    case undefined:
      return orphan === undefined ? undefined : orphan ? "Orphan" : "Background";
    case "Orphan":
    case "Foreground":
    case "Background":
      return policy;
    default:
      throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", [
        {
          field: "propagationPolicy",
          reason: "FieldValueInvalid",
          message: `Invalid value: "${policy}": DeletionPropagation need to be one of "Foreground", "Background", "Orphan" or nil`,
        },
      ]);
  }
}

function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text === null || text === "" ? undefined : Number(text);
}

function deletedStatus(type: ResourceType, object: SimObject): unknown {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name: object.metadata.name,
      ...(type.group === "" ? {} : { group: type.group }),
      kind: type.resource,
      uid: object.metadata.uid,
    },
  };
}
