import { proxiedObject, type AuditRecord } from "@bowline/api";
import type { Client } from "@bowline/client";
import type { Clock } from "@bowline/core";

import { printable, withRequests, type Board, type ShownRequest } from "./demo-state.ts";

interface FollowRequestsOptions {
  readonly client: Pick<Client, "listAudit">;
  readonly board: Board;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whose requests are not shown: the demo's own. */
  readonly ownUser: string;
  /** Requests before this time are not shown. */
  readonly sinceMs: number;
}

const pollMs = 500;
const pageSize = 200;
/** Pages between two looks; of more requests than these hold, the latest are shown. */
const maxPages = 5;

/** Puts what is new in the audit log on the board, until the signal aborts. */
export async function followRequests(options: FollowRequestsOptions): Promise<void> {
  const { board, clock, signal, ownUser, sinceMs } = options;
  let lastId: string | undefined;
  for (;;) {
    const records = await newRecords(options, lastId);
    lastId = records[0]?.id ?? lastId;
    const shown = records.filter(
      (record) => record.actor.user !== ownUser && Date.parse(record.at) >= sinceMs,
    );
    board.update((state) => withRequests(state, shown.map(shownRequest)));
    await clock.sleep(pollMs, signal);
  }
}

/** The records after the one with this id, the latest first. */
async function newRecords(
  { client, signal }: FollowRequestsOptions,
  lastId: string | undefined,
): Promise<AuditRecord[]> {
  const found: AuditRecord[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const { items, metadata } = await client.listAudit({ limit: pageSize, cursor }, { signal });
    const known = items.findIndex(({ id }) => id === lastId);
    found.push(...(known === -1 ? items : items.slice(0, known)));
    cursor = metadata.cursor;
    if (known !== -1 || cursor === undefined || lastId === undefined) break;
  }
  return found;
}

/** A record of the audit log as a line for people. */
export function shownRequest(record: AuditRecord): ShownRequest {
  const { id, at, actor, verb, httpStatus, proxy } = record;
  const about = proxy === undefined ? aboutServer(record) : { verb: proxy.verb, what: proxiedObject(proxy) };
  const isOfCluster = proxy !== undefined || verb === "join" || verb === "connect";
  return {
    id,
    atMs: Date.parse(at),
    who: printable(actor.user ?? "agent"),
    verb: printable(about.verb),
    what: printable(about.what),
    cluster: isOfCluster ? printable(record.name ?? "") : "",
    status: httpStatus,
    durationMs: proxy?.durationMs,
    count: proxy?.requests ?? 1,
  };
}

function aboutServer({ verb, kind, name }: AuditRecord): { readonly verb: string; readonly what: string } {
  return {
    verb,
    what: kind === undefined ? "" : `${kind.toLowerCase()}${name === undefined ? "" : `/${name}`}`,
  };
}
