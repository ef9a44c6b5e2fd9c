import { isRecord } from "@bowline/core";

import { badRequest } from "../store/status-errors.ts";

/** Where a paged list goes on: the state it reads (-1: whatever is current) and the last object it has given out. */
export interface ContinuePoint {
  readonly revision: number;
  readonly after: string;
}

/** The token of the real server: opaque to clients, JSON in base64 inside; `start` is the key right after the last. */
export function encodeContinue({ revision, after }: ContinuePoint): string {
  const token = { v: "meta.k8s.io/v1", rv: revision, start: `${after}\0` };
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

export function decodeContinue(token: string): ContinuePoint {
  const value = parse(token);
  const start = isRecord(value) ? value["start"] : undefined;
  const revision = isRecord(value) ? value["rv"] : undefined;
  if (typeof start !== "string" || typeof revision !== "number")
    throw badRequest("invalid continue token: continue key is not valid");
  return { revision, after: start.endsWith("\0") ? start.slice(0, -1) : start };
}

function parse(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch {
    throw badRequest("invalid continue token: continue key is not valid");
  }
}
