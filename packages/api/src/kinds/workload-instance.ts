import type { Static } from "typebox";

import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import { healths, statusOf } from "../bodies/status.ts";
import {
  atMostOneOf,
  choice,
  integer,
  line,
  list,
  map,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import {
  dnsLabel,
  identifier,
  printableAscii,
  qualifiedName,
  revisionId,
  singleLine,
} from "../schema/text-rule.ts";
import { LabelSelector, labelSelectorProblems } from "../select/label-selector.ts";
import type { Problem } from "../validate/report.ts";
import { approver, author, deleter } from "./author.ts";
import { rollout, rolloutProblems, rolloutStatus } from "./rollout.ts";
import { patchList, patchProblems, workloadSettings } from "./workload-settings.ts";

const spread = object("How the clusters that get it are spread over the values of a label.", {
  by: text("The label; clusters without it are not taken.", qualifiedName),
  max: optional(integer("How many clusters of one value may have it.", { minimum: 1, maximum: 500 })),
  min: optional(integer("How many values there must be.", { minimum: 1, maximum: 500 })),
});

const override = object("What is different in some of the clusters.", {
  selector: LabelSelector,
  parameters: withDefault(
    map("Values for parameters there.", text("The value.", { maxLength: 4096 }), {
      keys: identifier,
      maxProperties: 100,
    }),
    {},
  ),
  patches: optional(patchList),
});

const dependency = object("An instance that has to be there first, cluster by cluster.", {
  instance: text("Name of the WorkloadInstance.", dnsLabel),
  condition: withDefault(
    choice("How far it must be: applied and healthy, or applied.", ["Ready", "Applied"]),
    "Ready",
  ),
});

const revisionChoice = object("Which revision of the definition it has, when not the newest.", {
  pin: text("The revision that it stays at.", revisionId),
  rejected: withDefault(
    list(
      "Revisions that were left by a rollback. The pin ends with the first revision of the definition that is none of them; without any, it stays.",
      text("A revision.", revisionId),
      { maxItems: 100, unique: true },
    ),
    [],
  ),
});

const spec = object("Which definition to deploy, where and how.", {
  definition: text("Name of the WorkloadDefinition.", dnsLabel),
  placement: withDefault(
    atMostOneOf("The clusters to deploy to; empty for the one with `spec.default`.", {
      clusters: optional(
        list("Names of Clusters.", text("Name of a Cluster.", dnsLabel), {
          minItems: 1,
          maxItems: 500,
          unique: true,
        }),
      ),
      selector: optional(LabelSelector),
    }),
    {},
  ),
  limit: optional(integer("How many of the clusters of the placement get it.", { minimum: 1, maximum: 500 })),
  spread: optional(spread),
  revision: optional(revisionChoice),
  paused: optional(
    object("Nothing changes in the clusters while this is here; drift is still set right.", {
      reason: optional(line("Why, for people.", singleLine, 1024)),
    }),
  ),
  dependsOn: optional(
    list("Instances that it waits for in each cluster.", dependency, { maxItems: 50, uniqueBy: "instance" }),
  ),
  overrides: optional(
    list(
      "What is different in some of the clusters; where several match, all count, and the later wins.",
      override,
      { maxItems: 100 },
    ),
  ),
  rollout: optional(rollout),
  ...workloadSettings,
  approved: optional(
    object("What somebody has agreed to, after looking at it.", {
      revision: text(
        "The revision whose deletions, or whose author, may be: it is held until its id is here.",
        revisionId,
      ),
      wave: optional(integer("The last wave of its rollout that may begin.", { minimum: 1, maximum: 51 })),
      failures: optional(
        integer("With how many failed clusters its rollout may go on.", { minimum: 0, maximum: 500 }),
      ),
    }),
  ),
  actingUser: optional(
    text(
      "In whose name clusters are reached; missing for whoever wrote the spec last. Naming somebody else takes an admin.",
      printableAscii,
    ),
  ),
});

const count = { minimum: 0, maximum: 1_000_000 };

const clusterStatus = object("How the workload does in one cluster; its WorkloadPlacement tells more.", {
  cluster: text("Name of the Cluster.", dnsLabel),
  revision: optional(text("Id of the revision that was applied last.", revisionId)),
  ready: choice("Whether the current revision is applied and healthy.", ["True", "False", "Unknown"]),
  reason: optional(line("Why, as one word for programs.", singleLine, 128)),
  message: optional(text("Why, for people.", { maxLength: 1024 })),
  health: optional(choice("How its resources do, the worst of them.", healths)),
  resourceCount: withDefault(integer("How many resources there are.", count), 0),
  healthyCount: withDefault(integer("How many of them are healthy.", count), 0),
});

const status = statusOf({
  author: optional(author),
  approvedBy: optional(approver),
  deletedBy: optional(deleter),
  clusters: withDefault(
    list("How the workload does in each cluster, those in trouble first.", clusterStatus, {
      maxItems: 500,
      uniqueBy: "cluster",
    }),
    [],
  ),
  clusterCount: withDefault(integer("How many clusters it is placed on.", count), 0),
  readyCount: withDefault(integer("In how many of them it is ready.", count), 0),
  revision: optional(text("Id of the revision that it wants in its clusters.", revisionId)),
  rollout: optional(rolloutStatus),
  passedOver: optional(
    list(
      "Clusters that match the placement and are not taken; those that have no room here are left off.",
      object("Such a cluster.", {
        cluster: text("Name of the Cluster.", dnsLabel),
        message: line("Why, for people.", singleLine, 1024),
      }),
      { maxItems: 100, uniqueBy: "cluster" },
    ),
  ),
});

export const WorkloadInstance = defineKind({
  kind: "WorkloadInstance",
  plural: "workloadinstances",
  shortNames: ["wi"],
  description: "A workload definition deployed to clusters.",
  spec,
  status,
  columns: [
    { header: "DEFINITION", path: "spec.definition" },
    { header: "READY", path: "status.conditions.Ready" },
    { header: "CLUSTERS", path: "status.readyCount", of: "status.clusterCount" },
    { header: "NAMESPACE", path: "spec.namespace", wide: true },
    { header: "AUTHOR", path: "status.author.user", wide: true },
    { header: "REASON", path: "status.conditions.Ready.reason", wide: true },
    { header: "MESSAGE", path: "status.conditions.Ready.message", wide: true },
  ],
  filterable: [
    "metadata.managedBy.configSource",
    "spec.definition",
    "spec.namespace",
    "spec.placement.clusters[]",
    "spec.dependsOn[].instance",
    "spec.deletionPolicy",
    "spec.actingUser",
    "spec.revision.pin",
    "status.author.user",
    "status.deletedBy.user",
    "status.clusters[].cluster",
    "status.rollout.revision",
    "status.rollout.from",
    "status.conditions.Ready",
  ],
  recordsAuthor: true,
  recordsApprover: true,
  references: [
    { field: "spec.definition", kind: "WorkloadDefinition", cascade: "delete" },
    { field: "spec.placement.clusters[]", kind: "Cluster", cascade: "remove" },
  ],
  conditions: { Ready: "The current revision is applied and healthy in every cluster of the placement." },
  check: instanceProblems,
});
export type WorkloadInstance = ObjectOf<typeof WorkloadInstance>;

function instanceProblems({ placement, overrides = [], rollout }: Static<typeof spec>): Problem[] {
  return [
    ...(placement.selector === undefined
      ? []
      : labelSelectorProblems(placement.selector, "spec.placement.selector")),
    ...overrides.flatMap(({ selector, patches = [] }, index) => [
      ...labelSelectorProblems(selector, `spec.overrides[${index}].selector`),
      ...patchProblems(patches, `spec.overrides[${index}].patches`),
    ]),
    ...(rollout === undefined ? [] : rolloutProblems(rollout, "spec.rollout")),
  ];
}
