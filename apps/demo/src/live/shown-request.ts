import { proxiedObject, type AuditRecord } from "@bowline/api";

import type { ShownRequest } from "./demo-state.ts";

/** What is not printable would be obeyed by a terminal, and names are what clients say they are. */
const unprintable = /[^\x20-\x7E]/gu;

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

function printable(text: string): string {
  return text.replaceAll(unprintable, "?");
}
