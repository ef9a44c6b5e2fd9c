import type { Static } from "typebox";

import { choice, dateTime, integer, line, list, object, optional, text } from "../schema/build.ts";
import { identifier, singleLine, uuid } from "../schema/text-rule.ts";

const anyCount = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** A request that somebody made to a cluster. Holds names, never values: no query, no body, nothing behind a `proxy` subresource. */
export const ProxyDetails = object("What was asked of the cluster, and what went over the wire for it.", {
  verb: line(
    "What Kubernetes calls it, such as `list`; the method in lower case where the path names no resource.",
    singleLine,
    32,
  ),
  group: optional(line("The API group; missing for the core group.", singleLine)),
  resource: optional(line("The resource, such as `pods`.", singleLine)),
  subresource: optional(line("The subresource, such as `exec`.", singleLine)),
  namespace: optional(line("The namespace; missing for what has none, and for all.", singleLine)),
  name: optional(line("The name of the object; missing for a collection.", singleLine)),
  path: optional(line("The path, where it names no resource.", singleLine)),
  grant: optional(line("Name of the AccessGrant that allowed it.", singleLine)),
  user: optional(line("The Kubernetes user it was made as; missing when it was not made.", singleLine)),
  groups: optional(
    list("The Kubernetes groups it was made as.", line("A Kubernetes group.", singleLine), { maxItems: 32 }),
  ),
  upgrade: optional(line("The protocol it was to become, such as `SPDY/3.1`.", singleLine)),
  phase: optional(
    choice("Whether an upgraded connection has begun or ended: it has a record for each.", ["start", "end"]),
  ),
  requestBytes: optional(integer("Bytes of the body that the client sent.", anyCount)),
  answerBytes: optional(integer("Bytes of the body that the cluster sent.", anyCount)),
  durationMs: optional(integer("From the first byte of the request to the last of the answer.", anyCount)),
  requests: optional(
    integer(
      "How many reads alike the record stands for; missing for one. Bytes are those of all, the duration is the longest.",
      { minimum: 2, maximum: Number.MAX_SAFE_INTEGER },
    ),
  ),
});
export type ProxyDetails = Static<typeof ProxyDetails>;

/** The subject of a request to a cluster, for people: `pods/web-1/log in shop`, `deployments`, `/version`. */
export function proxiedObject(proxy: ProxyDetails): string {
  const { resource, name, subresource, namespace, path } = proxy;
  if (resource === undefined) return path ?? "";
  const object = [resource, name, subresource].filter((part) => part !== undefined).join("/");
  return namespace === undefined ? object : `${object} in ${namespace}`;
}

/** The kind that records of backups have: the whole database was read. */
export const backupKind = "Backup";

/** One thing somebody did or was not allowed to do. Holds names, never values. */
export const AuditRecord = object("One thing somebody did, or was not allowed to do.", {
  id: text("Sorts by time.", uuid),
  at: dateTime("When."),
  actor: object("Who.", {
    user: optional(line("Name of the User; missing for somebody unknown.", singleLine)),
    token: optional(line("Name of the Token they used, if it was one.", singleLine)),
    address: optional(line("The network address the request came from.", singleLine, 64)),
  }),
  verb: choice("What they did.", [
    "create",
    "update",
    "patch",
    "delete",
    "update-status",
    "revoke",
    "login",
    "read",
    "proxy",
    "join",
    "connect",
  ]),
  outcome: choice("What came of it.", ["allowed", "denied", "failed"]),
  httpStatus: integer("The status of the answer.", { minimum: 100, maximum: 599 }),
  kind: optional(text("The kind of the object.", identifier)),
  name: optional(line("The name of the object.", singleLine)),
  message: optional(
    text("Why it was denied, failed or ended early, or how somebody signed in.", { maxLength: 1024 }),
  ),
  proxy: optional(ProxyDetails),
  requestId: line("Names the request in the server's log.", singleLine, 64),
});
export type AuditRecord = Static<typeof AuditRecord>;

/** Which audit records to list, as parameters of the address. */
export const AuditFilters = object("Which audit records.", {
  user: optional(line("Only what this user did.", singleLine)),
  verb: optional(choice("Only this verb.", AuditRecord.properties.verb.enum)),
  outcome: optional(choice("Only with this outcome.", AuditRecord.properties.outcome.enum)),
  kind: optional(text("Only on objects of this kind.", identifier)),
  name: optional(line("Only on objects of this name.", singleLine)),
  cluster: optional(
    line("Only what was done to this Cluster or in it: requests, joins, writes of the Cluster.", singleLine),
  ),
  namespace: optional(line("Only requests to clusters in this namespace.", singleLine)),
  resource: optional(line("Only requests to clusters for this resource, such as `pods`.", singleLine)),
  object: optional(line("Only requests to clusters for objects of this name.", singleLine)),
  grant: optional(line("Only what this AccessGrant allowed.", singleLine)),
  requestId: optional(line("Only the request of this id.", singleLine, 64)),
  since: optional(dateTime("Not before this time.")),
  until: optional(dateTime("Before this time.")),
});
export type AuditFilters = Static<typeof AuditFilters>;
