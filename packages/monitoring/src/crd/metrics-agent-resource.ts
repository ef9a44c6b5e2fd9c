import {
  choice,
  flag,
  integer,
  list,
  object,
  optional,
  statusOf,
  text,
  withDefault,
  type CustomResourceOptions,
  type StaticInput,
} from "@bowline/api";

import { monitoringGroup, monitoringVersion } from "../model/kube-object.ts";
import { enforcedFields, scrapeFields } from "./agent-settings-schema.ts";
import { collectorVersion, labelSelector } from "./field-schemas.ts";
import { podFields } from "./pod-schema.ts";
import { remoteWrite, remoteWriteLimits } from "./remote-write-schema.ts";
import {
  countFields,
  expectedTargets,
  fullName,
  monitorCounts,
  rejectedList,
  targetlessList,
  withoutMeaning,
} from "./status-schema.ts";

const portName = {
  pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
  expects: "lower-case letters, digits and '-'",
  minLength: 1,
  maxLength: 15,
};

const spec = object("What the collectors are to be.", {
  paused: withDefault(flag("Whether the operator leaves everything as it is."), false),
  image: optional(
    text("The image of the collector; that of Prometheus in the version without it.", {
      minLength: 1,
      maxLength: 1024,
    }),
  ),
  version: optional(
    text("The version of the collector, which decides what its configuration may say.", collectorVersion),
  ),
  configReloaderImage: optional(
    text("The image of the container that puts a changed configuration in place.", {
      minLength: 1,
      maxLength: 1024,
    }),
  ),
  replicas: withDefault(integer("Collectors that do the same work.", { minimum: 0, maximum: 100 }), 1),
  shards: withDefault(integer("Parts that the targets are divided into.", { minimum: 1, maximum: 1000 }), 1),
  logLevel: optional(choice("How much the collectors log.", ["debug", "info", "warn", "error"])),
  logFormat: optional(choice("In which form they log.", ["logfmt", "json"])),
  portName: optional(text("The name of the collectors' port; http-metrics without it.", portName)),
  instanceSelector: optional(
    labelSelector("Which MetricsInstances the agent runs: all with {}, none without it."),
  ),
  instanceNamespaceSelector: optional(
    labelSelector("In which namespaces it looks for them: all with {}, only its own without it."),
  ),
  remoteWrite: optional(
    list("Where instances write to that have no remoteWrite of their own.", remoteWrite, remoteWriteLimits),
  ),
  ...scrapeFields,
  ...enforcedFields,
  ...podFields,
});

const podCount = { minimum: 0, maximum: 1_000_000 };

const status = statusOf({
  shards: optional(integer("How many shards there are.", podCount)),
  replicas: optional(integer("How many collectors there are, in all shards.", podCount)),
  readyReplicas: optional(integer("How many of them are ready.", podCount)),
  monitors: optional(monitorCounts),
  expectedTargets,
  instances: optional(
    list(
      "The instances that the agent runs; the first of them.",
      object("An instance.", {
        name: text("Its namespace, a slash and its name.", fullName),
        ...countFields,
        expectedTargets,
      }),
      { maxItems: 100 },
    ),
  ),
  rejected: optional(rejectedList),
  withoutTargets: optional(targetlessList),
  withoutMeaning: optional(withoutMeaning),
});

/** Its conditions, with what they say when they are True. */
export const metricsAgentConditions = {
  Ready: "Reconciled and Available are.",
  Reconciled: "Everything that the spec asks for is written.",
  Available: "In each shard a collector is ready.",
  MonitorsSelected: "There is something to collect.",
  MonitorsAccepted: "Nothing was left out of the configuration; if not, it says what, why, and what to do.",
  TargetsFound:
    "Every job finds a target; if not, it says which monitor finds none, and why, or why that is not known.",
} as const;

export const metricsAgentResource = {
  group: monitoringGroup,
  version: monitoringVersion,
  kind: "MetricsAgent",
  plural: "metricsagents",
  shortNames: ["mag"],
  categories: ["bowline"],
  scope: "Namespaced",
  description: "Collectors: where they write to, what they enforce, and which instances they run.",
  spec,
  status,
  columns: [
    { header: "VERSION", path: "spec.version", wide: true },
    { header: "SHARDS", path: "spec.shards" },
    { header: "REPLICAS", path: "spec.replicas" },
    { header: "MONITORS", path: "status.monitors.selected" },
    { header: "REJECTED", path: "status.monitors.rejected" },
    { header: "TARGETS", path: "status.expectedTargets" },
    { header: "PAUSED", path: "spec.paused", wide: true },
    { header: "READY", path: "status.conditions.Ready" },
  ],
} as const satisfies CustomResourceOptions;

export type MetricsAgentSpec = StaticInput<typeof spec>;
export type MetricsAgentStatus = StaticInput<typeof status>;
