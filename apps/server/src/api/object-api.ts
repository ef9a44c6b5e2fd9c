import { dnsLabel, checkUpdate, invalidError, type Kind, type ApiObject, type Refused } from "@bowline/api";
import type { Access } from "@bowline/auth";
import { notFound, type ObjectStore } from "@bowline/store";
import type { FastifyReply, FastifyRequest } from "fastify";

import type { WatchService } from "../watch/object-watch.ts";
import type { ErrorHandler } from "../http/error-handler.ts";

/** Everything that the routes of objects work with. */
export interface ObjectApi {
  readonly objects: ObjectStore;
  readonly access: Access;
  /** Without it, objects cannot be watched. */
  readonly watches: WatchService | undefined;
  readonly errors: ErrorHandler;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

export type ObjectRequest = FastifyRequest<{ Params: { name: string } }>;

export type ObjectHandler = (request: ObjectRequest, reply: FastifyReply) => Promise<FastifyReply>;

const namePattern = new RegExp(dnsLabel.pattern, "u");

/** The name in the address. What cannot be a name is `NotFound`, and does not get as far as the database. */
export function requireName(kind: Kind, { params }: Pick<ObjectRequest, "params">): string {
  const { name } = params;
  if (name.length <= dnsLabel.maxLength && namePattern.test(name)) return name;
  throw notFound(kind, name.slice(0, dnsLabel.maxLength));
}

/** The value that a validator accepted, or `Invalid` with everything that is wrong. */
export function requireValid<Accepted extends { readonly ok: true }>(
  kind: Kind,
  result: Accepted | Refused,
): Accepted {
  if (!result.ok) throw invalidError(`The ${kind.kind}`, result.problems);
  return result;
}

/** `Invalid` when a field would change that cannot. */
export function requireUpdatable(
  kind: Kind,
  before: Pick<ApiObject, "spec">,
  after: Pick<ApiObject, "spec">,
): void {
  const problems = checkUpdate(kind, before, after);
  if (problems.length > 0) throw invalidError(`The ${kind.kind}`, problems);
}
