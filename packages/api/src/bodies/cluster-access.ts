import type { Static } from "typebox";

import { dateTime, line, list, object, optional } from "../schema/build.ts";
import { singleLine } from "../schema/text-rule.ts";

const GrantedAccess = object("As whom somebody may reach a Cluster, by one AccessGrant.", {
  name: line("Name of the AccessGrant.", singleLine),
  user: line("The Kubernetes user that requests are made as.", singleLine),
  groups: list("The Kubernetes groups that requests are made as.", line("A Kubernetes group.", singleLine), {
    maxItems: 32,
  }),
  namespaces: optional(
    list("The only namespaces that it is for; missing for all.", line("A namespace.", singleLine), {
      maxItems: 100,
    }),
  ),
  until: optional(dateTime("When it ends by itself; missing for never.")),
});

/** The answer to who asks what they may do in a Cluster. */
export const ClusterAccess = object("How the asker may reach a Cluster.", {
  grants: list(
    "The AccessGrants that count now, by name: of those that cover a request the first is taken. Empty for nobody's way in.",
    GrantedAccess,
    { maxItems: 100_000 },
  ),
});
export type ClusterAccess = Static<typeof ClusterAccess>;
