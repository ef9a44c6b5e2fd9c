import type { Static } from "typebox";

import { anything, choice, integer, line, list, object, optional, text } from "../schema/build.ts";
import { dnsLabel, gitRef, singleLine } from "../schema/text-rule.ts";

/** The most that one answer tells; objects that are larger together are named without their content. */
export const diffLimits = { objects: 1_000, contentBytes: 8 * 1024 * 1024 } as const;

const count = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** What a difference is asked about: a cluster, and what would be written first, if anything. */
export const DiffRequest = object("What to compare.", {
  cluster: text("Name of the Cluster to ask.", dnsLabel),
  definition: optional(anything("The WorkloadDefinition as it would be; missing for the one that there is.")),
  instance: optional(anything("The WorkloadInstance as it would be; missing for the one that there is.")),
  ref: optional(
    text(
      "A branch, tag or commit to take in the place of the one that the definition names; for those from git. Needs the right to change WorkloadDefinitions.",
      gitRef,
    ),
  ),
});
export type DiffRequest = Static<typeof DiffRequest>;

const ObjectDiff = object("What would become of one Kubernetes object.", {
  group: line("Its API group; empty for the core group.", singleLine),
  version: line("The version of the API it would be sent in.", singleLine),
  kind: line("Its kind.", singleLine),
  namespace: optional(line("Its namespace, if its kind has one.", singleLine)),
  name: line("Its name.", singleLine),
  change: choice(
    "Whether it would be made, changed or deleted, stay although it is not wanted any more, or be refused.",
    ["created", "changed", "deleted", "kept", "refused"],
  ),
  reason: optional(line("Why, as one word for programs.", singleLine)),
  message: optional(text("Why, for people.", { maxLength: 1_024 })),
  before: optional(
    anything("The object as it is, without what only the cluster writes; values of Secrets are masked."),
  ),
  after: optional(anything("The object as the cluster says that it would be, in the same form.")),
});
export type ObjectDiff = Static<typeof ObjectDiff>;

/** The outcome of a dry run of a workload in one cluster. */
export const WorkloadDiff = object("What would become of a WorkloadInstance in a cluster.", {
  instance: text("Name of the WorkloadInstance.", dnsLabel),
  cluster: text("Name of the Cluster.", dnsLabel),
  commit: optional(line("The commit that was compared, where one was asked for.", singleLine, 64)),
  revision: optional(
    line("Id of the revision that was compared; missing where all of it would go.", singleLine, 71),
  ),
  held: optional(
    object("More would be deleted than its limit allows, so that waits until somebody approves it.", {
      count: integer("How many objects would be deleted.", count),
      total: integer("Of how many.", count),
      limit: integer("How many may be, without asking.", count),
    }),
  ),
  unchangedCount: integer("How many objects would stay as they are.", count),
  objectCount: integer("How many others there are, also those that were left off.", count),
  objects: list("Those that would not stay as they are.", ObjectDiff, { maxItems: diffLimits.objects }),
});
export type WorkloadDiff = Static<typeof WorkloadDiff>;
