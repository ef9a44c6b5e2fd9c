import { applyDefaults, applyStatusDefaults } from "../schema/apply-defaults.ts";
import { checkTypes } from "../schema/check-types.ts";
import { typeInvalidReason } from "../schema/field-problem.ts";
import { prune } from "../schema/prune.ts";
import { validateCreate, validateUpdate } from "../schema/validate.ts";
import { parseApiVersion, type ResourceType } from "./resource-type.ts";
import { schemaOf } from "./schema-of.ts";
import type { SimObject } from "./sim-api.ts";
import type { FieldProblem } from "./status-errors.ts";

/** Who the object is written for. */
export interface AdmissionRequest {
  readonly type: ResourceType;
  readonly minorVersion: number;
  /** Absent for a new object. */
  readonly live?: SimObject;
  /** The version a client wrote in; absent for writes of the simulation itself. */
  readonly writtenAs?: string;
  /** Changes through a subresource are not measured against the rules of the whole. */
  readonly partial?: boolean;
}

export interface AdmittedObject {
  readonly object: SimObject;
  readonly problems: readonly FieldProblem[];
}

/**
 * Brings an object into the form its schema describes: a custom object loses unknown fields, gets defaults and is
 * checked in the version it was written in; a built-in one gets its defaults and is checked where a client wrote it.
 */
export function admitBySchema(object: SimObject, request: AdmissionRequest): AdmittedObject {
  return request.type.custom ? admitCustom(object, request) : admitBuiltin(object, request);
}

function admitBuiltin(object: SimObject, request: AdmissionRequest): AdmittedObject {
  const schema = schemaOf(request.type, request.type);
  if (!schema) return { object, problems: [] };
  const fill = request.live && changesStatusAlone(request.live, object) ? applyStatusDefaults : applyDefaults;
  const filled = sameShape(object, fill(object, schema));
  const isUnchecked =
    request.writtenAs === undefined && (request.live !== undefined || isFromTemplate(object));
  if (request.partial || isUnchecked) return { object: filled, problems: [] };
  const problems = request.live
    ? validateUpdate(request.live, filled, schema)
    : validateCreate(filled, schema);
  return { object: filled, problems };
}

/** Since then a value of a wrong type has a reason of its own. */
const tellsTypes = 24;

function admitCustom(object: SimObject, request: AdmissionRequest): AdmittedObject {
  const { type, writtenAs, minorVersion } = request;
  const version = writtenAs === undefined ? type.version : parseApiVersion(writtenAs).version;
  const schema = type.custom?.get(version)?.schema;
  if (!schema) return { object, problems: [] };
  const filled = sameShape(object, schema.default(schema.prune(object)));
  const problems = schema.validate(filled);
  if (minorVersion >= tellsTypes) return { object: filled, problems };
  return { object: filled, problems: problems.map(withOlderReason) };
}

function withOlderReason(problem: FieldProblem): FieldProblem {
  return problem.reason === typeInvalidReason ? { ...problem, reason: "FieldValueInvalid" } : problem;
}

/** An object that was made in process, in the form that reading it from a request would have given it. */
export function completeBuiltin(type: ResourceType, object: SimObject): SimObject {
  const schema = type.custom || isFromTemplate(object) ? undefined : schemaOf(type, type);
  if (!schema) return object;
  const { metadata: _metadata, ...rest } = object;
  checkTypes(rest, schema, object);
  return sameShape(object, prune(rest, schema));
}

/** What was stored has its defaults; by far the most writes share all of it but the status. */
function changesStatusAlone(live: SimObject, next: SimObject): boolean {
  for (const field in next) {
    if (field !== "status" && field !== "metadata" && next[field] !== live[field]) return false;
  }
  return true;
}

/**
 * Pods are made by the thousand from templates that were complete and checked: they need neither, and their parts stay
 * shared with the template.
 */
function isFromTemplate({ kind, metadata }: SimObject): boolean {
  return kind === "Pod" && metadata.ownerReferences !== undefined;
}

/** Schemas describe everything but who the object is. */
function sameShape(original: SimObject, changed: Readonly<Record<string, unknown>>): SimObject {
  if (changed === original) return original;
  return { ...changed, apiVersion: original.apiVersion, kind: original.kind, metadata: original.metadata };
}
