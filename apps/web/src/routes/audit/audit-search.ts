import { AuditRecord } from "@bowline/api";

/** The filters of the audit log, in the order in which they are shown. */
export const filterNames = [
  "user",
  "cluster",
  "namespace",
  "resource",
  "object",
  "grant",
  "requestId",
  "verb",
  "outcome",
  "kind",
  "name",
  "since",
  "until",
] as const;
export type FilterName = (typeof filterNames)[number];

export type AuditSearch = { readonly [name in FilterName | "cursor" | "open"]?: string };

/** What filters are called on the page. */
export const filterWords: Readonly<Record<FilterName, string>> = {
  user: "User",
  cluster: "Cluster",
  namespace: "Namespace",
  resource: "Resource",
  object: "Object",
  grant: "Grant",
  requestId: "Request id",
  verb: "Verb",
  outcome: "Outcome",
  kind: "Kind",
  name: "Name",
  since: "Since",
  until: "Until",
};

/** Filters that have a few values; the others are typed. */
export const filterChoices: Readonly<Partial<Record<FilterName, readonly string[]>>> = {
  verb: AuditRecord.properties.verb.enum,
  outcome: AuditRecord.properties.outcome.enum,
};

/** The search of an address, whatever somebody has written there. */
export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  const read: Partial<Record<keyof AuditSearch, string>> = {};
  for (const name of [...filterNames, "cursor", "open"] as const) {
    const value = search[name];
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text === "string" && text !== "") read[name] = text;
  }
  return read;
}

/** The address of a page of records. */
export function auditPath({ open: _open, ...search }: AuditSearch, limit: number): string {
  const query = new URLSearchParams({ ...search, limit: String(limit) });
  return `/api/v1/audit?${query.toString()}`;
}

/** Another filter, or one less: the page that one was on is none of the new list. */
export function withFilter(search: AuditSearch, name: FilterName, value: string | undefined): AuditSearch {
  const { cursor: _cursor, open: _open, [name]: _before, ...others } = search;
  return value === undefined || value === "" ? others : { ...others, [name]: value };
}

const aroundMs = 5 * 60_000;

/** What the same user did shortly before and after; undefined for what nobody known did. */
export function sameUserAround({ actor, at }: Pick<AuditRecord, "actor" | "at">): AuditSearch | undefined {
  if (actor.user === undefined) return undefined;
  const atMs = Date.parse(at);
  return {
    user: actor.user,
    since: new Date(atMs - aroundMs).toISOString(),
    until: new Date(atMs + aroundMs).toISOString(),
  };
}
