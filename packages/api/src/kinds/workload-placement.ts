import { healths, statusOf } from "../bodies/status.ts";
import { defineKind } from "../kind/define-kind.ts";
import { derivedName } from "../kind/derived-name.ts";
import type { ObjectOf } from "../kind/kind.ts";
import {
  choice,
  dateTime,
  integer,
  line,
  list,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import { dnsLabel, revisionId, singleLine, type TextRule } from "../schema/text-rule.ts";
import { actingUser } from "./author.ts";
import { patchList, workloadSettings } from "./workload-settings.ts";

const spec = object("One revision of a workload in one cluster; written by the controller of instances.", {
  instance: text("Name of the WorkloadInstance it is a part of.", dnsLabel),
  cluster: text("Name of the Cluster.", dnsLabel),
  definition: text("Name of the WorkloadDefinition.", dnsLabel),
  revision: text("Id of the revision to apply.", revisionId),
  actingUser,
  ...workloadSettings,
  patches: optional(patchList),
  approved: optional(text("Id of the revision that somebody has approved.", revisionId)),
});

const digest: TextRule = {
  pattern: "^[A-Za-z0-9:_-]*$",
  expects: "a hash",
  maxLength: 128,
};

const count = { minimum: 0, maximum: 1_000_000 };

const resource = object("One Kubernetes object of the workload.", {
  group: line("Its API group; empty for the core group.", singleLine),
  version: line("The version of the API it was applied with.", singleLine, 63),
  kind: line("Its kind.", singleLine, 63),
  namespace: optional(line("Its namespace, if its kind has one.", singleLine, 63)),
  name: line("Its name.", singleLine),
  uid: optional(line("Its UID in the cluster.", singleLine, 128)),
  state: choice("How far it got: in the cluster, on its way, refused, on its way out, or fought over.", [
    "applied",
    "waiting",
    "failed",
    "kept",
    "held",
    "deleting",
    "contested",
  ]),
  reason: optional(line("Why, as one word for programs.", singleLine, 128)),
  message: optional(text("Why, for people.", { maxLength: 1024 })),
  health: withDefault(choice("How it does.", healths), "Unknown"),
  healthReason: optional(line("Why it does so, as one word for programs.", singleLine, 128)),
  healthMessage: optional(text("Why it does so, for people.", { maxLength: 1024 })),
  drifted: optional(
    object("Somebody else has changed it since it was applied.", {
      changedBy: line("The field manager who did, as far as the cluster tells.", singleLine),
    }),
  ),
});

const status = statusOf({
  revision: optional(text("Id of the revision that was applied last.", revisionId)),
  applied: optional(
    text("Hash of all that was applied: while it stays the same, there is nothing to do.", digest),
  ),
  health: optional(choice("How its resources do, the worst of them.", healths)),
  resourceCount: withDefault(integer("How many resources there are.", count), 0),
  healthyCount: withDefault(integer("How many of them are healthy.", count), 0),
  resources: withDefault(
    list("The resources, those in trouble first; the count tells whether some were left off.", resource, {
      maxItems: 500,
    }),
    [],
  ),
  observedAt: optional(dateTime("When the agent last told how they do.")),
});

export const WorkloadPlacement = defineKind({
  kind: "WorkloadPlacement",
  plural: "workloadplacements",
  shortNames: ["wp"],
  description: "A workload instance in one cluster: which revision it should have there, and how it does.",
  spec,
  status,
  columns: [
    { header: "CLUSTER", path: "spec.cluster" },
    { header: "READY", path: "status.conditions.Ready" },
    { header: "HEALTH", path: "status.health" },
    { header: "RESOURCES", path: "status.healthyCount", of: "status.resourceCount" },
    // The name begins like that of the instance, and a line has 80 characters.
    { header: "INSTANCE", path: "spec.instance", wide: true },
    { header: "REVISION", path: "status.revision", wide: true },
    { header: "REASON", path: "status.conditions.Ready.reason", wide: true },
    { header: "MESSAGE", path: "status.conditions.Ready.message", wide: true },
  ],
  filterable: [
    "spec.instance",
    "spec.cluster",
    "spec.definition",
    "spec.revision",
    "spec.actingUser.user",
    "status.revision",
    "status.health",
    "status.conditions.Ready",
    "status.conditions.Applied",
    "status.conditions.Healthy",
  ],
  references: [
    { field: "spec.instance", kind: "WorkloadInstance", cascade: "owned", mustExist: true },
    { field: "spec.cluster", kind: "Cluster", cascade: "owned", mustExist: true },
  ],
  immutable: ["spec.instance", "spec.cluster"],
  conditions: {
    Applied: "The revision in the spec is applied, with everything that is to be deleted deleted.",
    Healthy: "Every resource is healthy.",
    Watched: "The agent has the rights to tell how the resources do; there once it had not.",
    Ready: "The revision in the spec is applied and healthy.",
  },
  finalizers: ["bowline.dev/remove-resources"],
});
export type WorkloadPlacement = ObjectOf<typeof WorkloadPlacement>;

/** The name of the one placement of an instance in a cluster: it begins like the instance's. */
export function placementName(instance: string, cluster: string): string {
  return derivedName(instance, `${instance}/${cluster}`);
}
