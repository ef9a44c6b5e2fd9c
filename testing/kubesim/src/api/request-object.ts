import { isRecord } from "@bowline/core";

import { builtinType } from "../schema/builtin.ts";
import { checkTypes } from "../schema/check-types.ts";
import { prune } from "../schema/prune.ts";
import { canonicalQuantities } from "../store/canonical-quantity.ts";
import type { JsonRecord } from "../store/json-value.ts";
import { apiVersionOf } from "../store/resource-type.ts";
import { schemaOf } from "../store/schema-of.ts";
import type { SimObject } from "../store/sim-api.ts";
import { badRequest } from "../store/status-errors.ts";
import type { ApiRequest } from "./api-request.ts";

/** What a request body must be. */
interface ExpectedKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Checks that a body is of the kind and in the version that the path names, and gives it its place. */
export function objectFromBody(call: ApiRequest, body: JsonRecord): SimObject {
  const expected = { apiVersion: apiVersionOf(call.place), kind: call.type.kind };
  const object = shapedObject(call, body, expected);
  const schema = call.type.custom ? undefined : schemaOf(call.type, call.place);
  if (!schema) return object;
  checkTypes(object, schema, expected);
  // The server reads built-in objects into types of its own: what these do not have is lost.
  const { metadata, ...rest } = object;
  const kept = canonicalQuantities(prune(rest, schema), schema);
  return { ...(isRecord(kept) ? kept : {}), ...expected, metadata };
}

function shapedObject(call: ApiRequest, body: JsonRecord, expected: ExpectedKind): SimObject {
  const apiVersion = textOf(body["apiVersion"]) || (call.type.custom ? "" : expected.apiVersion);
  const kind = textOf(body["kind"]) || (call.type.custom ? "" : expected.kind);
  if (kind === "") throw badRequest(`Object 'Kind' is missing in '${summary(body)}'`);
  if (apiVersion === "") throw badRequest(`Object 'apiVersion' is missing in '${summary(body)}'`);
  if (kind !== expected.kind) {
    throw badRequest(
      `${kind} in version "${apiVersion.split("/").at(-1)}" cannot be handled as a ${expected.kind}: converting (${apiVersion}.${kind}) to (${expected.apiVersion}.${expected.kind}): unknown conversion`,
    );
  }
  if (apiVersion !== expected.apiVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`,
    );
  }
  return withPlace(call, { ...body, apiVersion, kind, metadata: metadataOf(body) });
}

/** A missing namespace is that of the path; another one is a mistake. */
function withPlace(call: ApiRequest, object: SimObject): SimObject {
  const { namespace: asked, ...metadata } = object.metadata;
  if (!call.type.namespaced) return { ...object, metadata };
  const { namespace } = call.target;
  if (asked && namespace && asked !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  const place = namespace ?? asked;
  return { ...object, metadata: { ...metadata, ...(place ? { namespace: place } : {}) } };
}

export function checkName(object: SimObject, name: string): void {
  const given = object.metadata.name;
  if (!given)
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}

const knownMeta = builtinType("meta.ObjectMeta").fields;

/** Metadata as the client sent it, without what nobody knows; `null` stands for a field that is not there. */
function metadataOf(body: JsonRecord): SimObject["metadata"] {
  const sent = isRecord(body["metadata"]) ? body["metadata"] : {};
  const fields = Object.entries(sent).filter(([name, value]) => value !== null && knownMeta.has(name));
  return { name: "", uid: "", resourceVersion: "", creationTimestamp: "", ...Object.fromEntries(fields) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function summary(body: JsonRecord): string {
  const text = JSON.stringify(body);
  return text.length > 120 ? `${text.slice(0, 120)}...` : text;
}
