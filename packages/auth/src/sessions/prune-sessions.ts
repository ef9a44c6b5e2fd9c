import { Session } from "@bowline/api";
import type { Clock } from "@bowline/core";
import type { ObjectStore } from "@bowline/store";

import { groundVerdict, standsOn } from "../authentication/authenticate-session.ts";
import { unlessGone } from "./sessions.ts";

export interface PruneSessionsOptions {
  readonly objects: Pick<ObjectStore, "get" | "list" | "delete">;
  readonly clock: Pick<Clock, "now">;
  /** How long a session may be left unused. */
  readonly idleMs: number;
}

/** A use is written down within a minute or so; until then a session may seem older than it is. */
const lastUseGraceMs = 120_000;

/** Deletes sessions that have ended, and codes that nobody has used; resolves to how many those were. */
export async function pruneSessions(options: PruneSessionsOptions, signal?: AbortSignal): Promise<number> {
  const { objects } = options;
  let deleted = 0;
  let cursor: string | undefined;
  do {
    signal?.throwIfAborted();
    const page = await objects.list(Session, { limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    for (const session of page.items) {
      const { name, id } = session.metadata;
      if (!(await hasEnded(options, session))) continue;
      if (await unlessGone(objects.delete(Session, name, { id }))) deleted += 1;
    }
    ({ cursor } = page);
  } while (cursor !== undefined);
  return deleted;
}

async function hasEnded(
  { objects, clock, idleMs }: PruneSessionsOptions,
  { spec, status }: Session,
): Promise<boolean> {
  const nowMs = clock.now();
  if (nowMs >= Date.parse(spec.expiresAt)) return true;
  const { lastUsedAt } = status;
  if (lastUsedAt !== undefined && nowMs >= Date.parse(lastUsedAt) + idleMs + lastUseGraceMs) return true;
  const verdict = groundVerdict(spec, await standsOn(objects, spec));
  return "refusal" in verdict || nowMs >= (verdict.identity.expiresAtMs ?? Infinity);
}
