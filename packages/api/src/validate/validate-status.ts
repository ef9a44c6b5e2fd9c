import { BowlineError } from "@bowline/core";

import type { Kind, StatusOf } from "../kind/kind.ts";
import { checkDepth } from "./check-depth.ts";
import { readerOf } from "./reader-of.ts";
import { Report } from "./report.ts";
import type { Refused } from "./validate-write.ts";

export interface AcceptedStatus<K extends Kind> {
  readonly ok: true;
  readonly status: StatusOf<K>;
  /** The body named it, so the write is to fail if the object has another one by now. */
  readonly resourceVersion: string | undefined;
}

/** What the reader of the schema for status writes returns. */
interface ReadBody<K extends Kind> {
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
  const { metadata, status } = read as ReadBody<K>;
  return { ok: true, status, resourceVersion: metadata?.resourceVersion };
}

/** The status of an object that nobody has looked at yet. */
export function initialStatus<K extends Kind>(kind: K): StatusOf<K> {
  const result = validateStatus(kind, { status: {} });
  if (result.ok) return result.status;
  throw new BowlineError("Internal", `The status of ${kind.kind} has fields without a default.`);
}
