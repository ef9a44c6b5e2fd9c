import type { Static } from "typebox";

import { choice, dateTime, integer, line, list, object, optional, text } from "../schema/build.ts";
import { dnsLabel, singleLine } from "../schema/text-rule.ts";
import { EventRecord } from "./event-record.ts";
import { healths } from "./status.ts";

/** The most that one answer tells. */
export const treeLimits = { clusters: 50, resources: 1_000, events: 3 } as const;

const TreeResource = object("One Kubernetes object of a workload.", {
  group: line("Its API group; empty for the core group.", singleLine),
  version: line("The version of the API it was seen in.", singleLine),
  kind: line("Its kind.", singleLine),
  namespace: optional(line("Its namespace, if its kind has one.", singleLine)),
  name: line("Its name.", singleLine),
  uid: optional(line("Its UID; missing for one that is not in the cluster.", singleLine)),
  ownerUid: optional(
    line("The UID of the object that it stands below; missing for the first of a tree.", singleLine),
  ),
  depth: integer("How many objects it stands below.", { minimum: 0, maximum: 16 }),
  health: choice("How it does; the first of a tree, together with all below it.", healths),
  healthReason: line("Why, as one word for programs.", singleLine),
  healthMessage: text("Why, for people.", { maxLength: 1024 }),
  drifted: optional(
    object("Somebody else has changed it since it was applied.", {
      changedBy: line("The field manager who did, as far as the cluster tells.", singleLine),
    }),
  ),
  events: list("What happened to it, the newest first.", EventRecord, { maxItems: treeLimits.events }),
});
export type TreeResource = Static<typeof TreeResource>;

const ClusterTree = object("A workload in one cluster.", {
  cluster: text("Name of the Cluster.", dnsLabel),
  health: choice("How the workload does there, the worst of its resources.", healths),
  healthReason: line("Why, as one word for programs.", singleLine),
  healthMessage: text("Why, for people.", { maxLength: 1024 }),
  observedAt: optional(dateTime("When the agent last told of one of the objects.")),
  resourceCount: integer("How many objects there are, also those that were left off.", {
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
  }),
  resources: list("Each before those that it owns; those in trouble come first.", TreeResource, {
    maxItems: treeLimits.resources,
  }),
});
export type ClusterTree = Static<typeof ClusterTree>;

/** The objects of a workload as they are in its clusters. */
export const WorkloadTree = object("The objects of a WorkloadInstance, with those that they own.", {
  instance: text("Name of the WorkloadInstance.", dnsLabel),
  clusterCount: integer("How many clusters it is placed in, also those that were left off.", {
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
  }),
  clusters: list("The clusters, by name.", ClusterTree, { maxItems: treeLimits.clusters }),
});
export type WorkloadTree = Static<typeof WorkloadTree>;

/** Which part of a tree, as parameters of the address. */
export const TreeFilters = object("Which part.", {
  cluster: optional(text("Only in this Cluster.", dnsLabel)),
});
export type TreeFilters = Static<typeof TreeFilters>;
