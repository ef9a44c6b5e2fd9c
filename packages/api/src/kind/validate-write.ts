import { BowlineError, isRecord } from "@bowline/core";

import { apiVersion, type UserMetadata } from "../bodies/metadata.ts";
import { parseFieldPath, valuesAt } from "../schema/field-path.ts";
import { checkDepth, readerOf } from "../validate/validator.ts";
import { maxProblems, Report, type Problem } from "../validate/report.ts";
import type { ApiObject, DesiredObjectOf, Kind, StatusOf } from "./kind.ts";
import { splitSecrets } from "./secrets.ts";

export interface ValidateWriteOptions {
  /** The name in the address: the body may leave it out and may not say another. */
  readonly name?: string;
  /** There is no object yet, so secret fields must be there: there is nothing that could stay as it is. */
  readonly creating?: boolean;
  /** The spec of the object that is there: a secret inside of what it does not have yet must be there as well. */
  readonly before?: object;
}

export interface Refused {
  readonly ok: false;
  readonly problems: readonly Problem[];
}

export interface AcceptedWrite<K extends Kind> {
  readonly ok: true;
  readonly object: DesiredObjectOf<K>;
  /** The body named it, so the write is to fail if the object has another one by now. */
  readonly resourceVersion: string | undefined;
}

/** The result of reading by the write schema; `kindSchemas` makes that schema for this shape. */
interface ReadBody {
  readonly metadata: UserMetadata & { readonly resourceVersion?: string };
  readonly spec: Record<string, unknown>;
}

/**
 * Checks the body of a create or an apply. Returns what the client decided, with defaults applied, or everything that
 * is wrong with it. Never throws, whatever JSON the body is, and never changes it.
 */
export function validateWrite<K extends Kind>(
  kind: K,
  body: unknown,
  options: ValidateWriteOptions = {},
): AcceptedWrite<K> | Refused {
  const tooDeep = checkDepth(body);
  if (tooDeep !== undefined) return { ok: false, problems: [tooDeep] };
  const report = new Report();
  const read = readerOf(kind.schemas.write)(withName(body, options.name), report);
  if (report.problems.length > 0) return { ok: false, problems: report.problems };
  const { metadata, spec } = read as ReadBody;
  const { name, labels, annotations, resourceVersion } = metadata;
  const problems = [
    ...nameProblems(name, options.name),
    ...missingSecrets(kind, spec, options),
    ...kind.check(spec),
  ];
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, maxProblems) };
  const object = { apiVersion, kind: kind.kind, metadata: { name, labels, annotations }, spec };
  return { ok: true, object: object as DesiredObjectOf<K>, resourceVersion };
}

/** The body with the name of the address in it, where it has none itself. */
function withName(body: unknown, name: string | undefined): unknown {
  if (name === undefined || !isRecord(body)) return body;
  const metadata = body["metadata"] ?? {};
  if (!isRecord(metadata) || (metadata["name"] ?? undefined) !== undefined) return body;
  return { ...body, metadata: { ...metadata, name } };
}

function nameProblems(name: string, wanted: string | undefined): Problem[] {
  if (wanted === undefined || name === wanted) return [];
  return [{ path: "metadata.name", message: "must be the name in the address" }];
}

function missingSecrets(kind: Kind, spec: object, { creating, before }: ValidateWriteOptions): Problem[] {
  if (kind.secretFields.length === 0 || (creating !== true && before === undefined)) return [];
  const { secrets } = splitSecrets(kind, spec);
  return kind.secretFields
    .filter((path) => !Object.hasOwn(secrets, path) && hasParent(path, spec))
    .filter((path) => before === undefined || !hasParent(path, before))
    .map((path) => ({ path, message: "is required" }));
}

/** A secret inside of something that is left out is left out with it. */
function hasParent(path: string, spec: object): boolean {
  const parent = path.slice(0, path.lastIndexOf("."));
  return parent === "spec" || valuesAt(parseFieldPath(parent), { spec }).length > 0;
}

export interface AcceptedStatus<K extends Kind> {
  readonly ok: true;
  readonly status: StatusOf<K>;
  /** The body named it, so the write is to fail if the object has another one by now. */
  readonly resourceVersion: string | undefined;
}

/** The result of reading by the schema for status writes. */
interface ReadStatusBody<K extends Kind> {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly status: StatusOf<K>;
}

/** Checks the body of a write to the status subresource; the rest of the object may be there and is not looked at. */
export function validateStatus<K extends Kind>(kind: K, body: unknown): AcceptedStatus<K> | Refused {
  const tooDeep = checkDepth(body);
  if (tooDeep !== undefined) return { ok: false, problems: [tooDeep] };
  const report = new Report();
  const read = readerOf(kind.schemas.statusWrite)(body, report);
  if (report.problems.length > 0) return { ok: false, problems: report.problems };
  const { metadata, status } = read as ReadStatusBody<K>;
  return { ok: true, status, resourceVersion: metadata?.resourceVersion };
}

/** The status of an object that nobody has looked at yet. */
export function initialStatus<K extends Kind>(kind: K): StatusOf<K> {
  const result = validateStatus(kind, { status: {} });
  if (result.ok) return result.status;
  throw new BowlineError("Internal", `The status of ${kind.kind} has fields without a default.`);
}

/** Problems of an update: fields that cannot be changed, and changes that the kind does not take. */
export function checkUpdate(
  kind: Kind,
  before: Pick<ApiObject, "spec">,
  after: Pick<ApiObject, "spec">,
): Problem[] {
  const changed = kind.immutable.flatMap((field) => {
    const path = parseFieldPath(field);
    const same = JSON.stringify(valuesAt(path, before)) === JSON.stringify(valuesAt(path, after));
    return same ? [] : [{ path: path.text, message: "cannot be changed once the object exists" }];
  });
  return [...changed, ...kind.checkChange({ ...before.spec }, { ...after.spec })];
}
