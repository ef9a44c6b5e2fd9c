import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import { statusOf } from "../bodies/status.ts";
import {
  choice,
  exactlyOneOf,
  flag,
  integer,
  line,
  list,
  map,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import { dnsLabel, identifier, singleLine } from "../schema/text-rule.ts";
import { LabelSelector, labelSelectorProblems } from "../select/label-selector.ts";

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
  namespace: withDefault(
    text("The namespace of every resource that names none itself.", dnsLabel),
    "default",
  ),
  parameters: withDefault(
    map("Values for parameters of the definition.", text("The value.", { maxLength: 4096 }), {
      keys: identifier,
      maxProperties: 100,
    }),
    {},
  ),
  prune: withDefault(flag("Whether resources that are no longer in the manifests are deleted."), true),
  deletionPolicy: withDefault(
    choice("What becomes of the resources when the instance is deleted.", ["delete", "retain"]),
    "delete",
  ),
});

const resourceStatus = object("One Kubernetes object of the workload.", {
  group: line("Its API group; empty for the core group.", singleLine),
  kind: line("Its kind.", singleLine, 63),
  namespace: optional(line("Its namespace, if its kind has one.", singleLine, 63)),
  name: line("Its name.", singleLine),
  health: choice("How it does.", ["Healthy", "Progressing", "Degraded", "Suspended", "Missing", "Unknown"]),
  message: optional(text("Why, for people.", { maxLength: 1024 })),
});

const count = { minimum: 0, maximum: 1_000_000 };

const clusterStatus = object("How the workload does in one cluster.", {
  cluster: text("Name of the Cluster.", dnsLabel),
  revision: optional(line("Id of the revision that was applied last.", singleLine, 71)),
  ready: choice("Whether that revision is applied and healthy.", ["True", "False", "Unknown"]),
  message: optional(text("Why, for people.", { maxLength: 1024 })),
  resourceCount: withDefault(integer("How many resources there are.", count), 0),
  healthyCount: withDefault(integer("How many of them are healthy.", count), 0),
  resources: withDefault(
    list(
      "The resources, those in trouble first; the counts tell whether some were left off.",
      resourceStatus,
      {
        maxItems: 100,
      },
    ),
    [],
  ),
});

const status = statusOf({
  clusters: withDefault(
    list("How the workload does in each cluster.", clusterStatus, { maxItems: 500, uniqueBy: "cluster" }),
    [],
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
    { header: "CLUSTERS", path: "status.clusters[].cluster", format: "count" },
    { header: "NAMESPACE", path: "spec.namespace", wide: true },
    { header: "REASON", path: "status.conditions.Ready.reason", wide: true },
    { header: "MESSAGE", path: "status.conditions.Ready.message", wide: true },
  ],
  filterable: [
    "spec.definition",
    "spec.namespace",
    "spec.placement.clusters[]",
    "spec.deletionPolicy",
    "status.clusters[].cluster",
    "status.conditions.Ready",
  ],
  references: [
    { field: "spec.definition", kind: "WorkloadDefinition", cascade: "delete" },
    { field: "spec.placement.clusters[]", kind: "Cluster", cascade: "remove" },
  ],
  conditions: { Ready: "The current revision is applied and healthy in every cluster of the placement." },
  finalizers: ["bowline.dev/remove-resources"],
  check: ({ placement }) =>
    placement.selector === undefined
      ? []
      : labelSelectorProblems(placement.selector, "spec.placement.selector"),
});
export type WorkloadInstance = ObjectOf<typeof WorkloadInstance>;
