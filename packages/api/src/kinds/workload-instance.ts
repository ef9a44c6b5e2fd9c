import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import { healths, statusOf } from "../bodies/status.ts";
import {
  choice,
  exactlyOneOf,
  integer,
  line,
  list,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import { dnsLabel, printableAscii, revisionId, singleLine } from "../schema/text-rule.ts";
import { LabelSelector, labelSelectorProblems } from "../select/label-selector.ts";
import { author, deleter } from "./author.ts";
import { workloadSettings } from "./workload-settings.ts";

const spec = object("Which definition to deploy, where and how.", {
  definition: text("Name of the WorkloadDefinition.", dnsLabel),
  placement: exactlyOneOf("The clusters to deploy to.", {
    clusters: optional(
      list("Names of Clusters.", text("Name of a Cluster.", dnsLabel), {
        minItems: 1,
        maxItems: 500,
        unique: true,
      }),
    ),
    selector: optional(LabelSelector),
  }),
  ...workloadSettings,
  approved: optional(
    object("What somebody has agreed to, after looking at it.", {
      revision: text(
        "The revision whose deletions, or whose author, may be: it is held until its id is here.",
        revisionId,
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
    "spec.definition",
    "spec.namespace",
    "spec.placement.clusters[]",
    "spec.deletionPolicy",
    "spec.actingUser",
    "status.author.user",
    "status.deletedBy.user",
    "status.clusters[].cluster",
    "status.conditions.Ready",
  ],
  recordsAuthor: true,
  references: [
    { field: "spec.definition", kind: "WorkloadDefinition", cascade: "delete" },
    { field: "spec.placement.clusters[]", kind: "Cluster", cascade: "remove" },
  ],
  conditions: { Ready: "The current revision is applied and healthy in every cluster of the placement." },
  check: ({ placement }) =>
    placement.selector === undefined
      ? []
      : labelSelectorProblems(placement.selector, "spec.placement.selector"),
});
export type WorkloadInstance = ObjectOf<typeof WorkloadInstance>;
