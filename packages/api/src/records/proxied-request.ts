import type { Static } from "typebox";

import { choice, integer, line, list, object, optional } from "../schema/build.ts";
import { singleLine } from "../schema/text-rule.ts";

const anyCount = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** What somebody asked of a cluster. Holds names, never values: no query, no body, nothing behind a `proxy` subresource. */
export const ProxiedRequest = object("What was asked of the cluster, and what went over the wire for it.", {
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
export type ProxiedRequest = Static<typeof ProxiedRequest>;
