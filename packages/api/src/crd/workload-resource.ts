import type { Static } from "typebox";

import { statusOf } from "../bodies/status.ts";
import { choice, integer, line, list, object, optional, text, type StaticInput } from "../schema/build.ts";
import { singleLine } from "../schema/text-rule.ts";
import {
  customResourceDefinition,
  type CustomResourceDefinition,
  type CustomResourceOptions,
} from "./custom-resource-definition.ts";

/** As many as a workload may have, and few enough for etcd, which takes no object of more than 1.5 MiB. */
const maxResources = 2_000;

const resource = object("An object of the workload.", {
  group: line("Its API group; empty for the core group.", singleLine),
  version: line("The version of its API.", singleLine, 63),
  kind: line("Its kind.", singleLine, 63),
  namespace: optional(line("Its namespace, if its kind has one.", singleLine, 63)),
  name: line("Its name.", singleLine),
  uid: optional(line("Tells it from an earlier one of the same name.", singleLine, 128)),
});

const spec = object("What to watch, and for whom.", {
  instanceId: line("The UID of the WorkloadInstance on the server.", singleLine, 64),
  revision: line("Id of the revision that was applied last; empty before the first.", singleLine, 71),
  resources: list("The objects that were applied.", resource, { maxItems: maxResources }),
});

const count = { minimum: 0, maximum: 1_000_000 };

const status = statusOf({
  health: optional(
    choice("How the workload does in this cluster.", [
      "Healthy",
      "Progressing",
      "Degraded",
      "Suspended",
      "Missing",
      "Unknown",
    ]),
  ),
  message: optional(text("Why, for people.", { maxLength: 1024 })),
  resourceCount: optional(integer("How many resources there are.", count)),
  healthyCount: optional(integer("How many of them are healthy.", count)),
});

/** Its conditions, with what they say when they are True. */
export const workloadConditions = {
  Ready: "The current revision is applied and healthy in this cluster.",
} as const;

/**
 * What the server deployed, as a custom resource in the cluster itself. The server writes it, whole, whenever the set
 * of resources or their health changes; the agent reads it to know what to watch.
 *
 * `wl` is the short name of Kueue's Workloads; kubectl takes the first kind that has one.
 */
export const workloadResource = {
  group: "bowline.dev",
  version: "v1alpha1",
  kind: "Workload",
  plural: "workloads",
  shortNames: ["bwl"],
  categories: ["bowline"],
  scope: "Cluster",
  description: "A workload that Bowline deployed to this cluster: what belongs to it, and how it does.",
  spec,
  status,
  columns: [
    { header: "HEALTH", path: "status.health" },
    { header: "HEALTHY", path: "status.healthyCount" },
    { header: "RESOURCES", path: "status.resourceCount" },
    { header: "REVISION", path: "spec.revision" },
    { header: "MESSAGE", path: "status.message", wide: true },
  ],
} as const satisfies CustomResourceOptions;

/** @public The server writes it beside the resources. */
export type WorkloadResourceSpec = Static<typeof spec>;
/** @public The server writes it, when it has judged what agents report. */
export type WorkloadResourceStatus = StaticInput<typeof status>;

/** The definition of the Workload custom resource, as a cluster takes it. */
export function workloadDefinition(): CustomResourceDefinition {
  return customResourceDefinition(workloadResource);
}
