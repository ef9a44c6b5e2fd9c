import {
  list,
  object,
  optional,
  statusOf,
  text,
  type CustomResourceOptions,
  type StaticInput,
} from "@bowline/api";

import { monitoringGroup, monitoringVersion } from "../model/kube-object.ts";
import { labelSelector, secretKey } from "./field-schemas.ts";
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

const spec = object("What is collected, and where it goes.", {
  remoteWrite: optional(
    list("Where it is written to; where the agent says without it.", remoteWrite, remoteWriteLimits),
  ),
  serviceMonitorSelector: optional(
    labelSelector("Which ServiceMonitors are collected: all with {}, none without it."),
  ),
  serviceMonitorNamespaceSelector: optional(
    labelSelector(
      "In which namespaces ServiceMonitors are looked for: all with {}, only its own without it.",
    ),
  ),
  podMonitorSelector: optional(
    labelSelector("Which PodMonitors are collected: all with {}, none without it."),
  ),
  podMonitorNamespaceSelector: optional(
    labelSelector("In which namespaces PodMonitors are looked for: all with {}, only its own without it."),
  ),
  probeSelector: optional(labelSelector("Which Probes are collected: all with {}, none without it.")),
  probeNamespaceSelector: optional(
    labelSelector("In which namespaces Probes are looked for: all with {}, only its own without it."),
  ),
  scrapeConfigSelector: optional(
    labelSelector("Which ScrapeConfigs are collected: all with {}, none without it."),
  ),
  scrapeConfigNamespaceSelector: optional(
    labelSelector("In which namespaces ScrapeConfigs are looked for: all with {}, only its own without it."),
  ),
  additionalScrapeConfigs: optional(secretKey("More jobs, as a YAML list of scrape configs.")),
});

const status = statusOf({
  monitors: optional(monitorCounts),
  expectedTargets,
  agents: optional(
    list(
      "The agents that run it.",
      object("An agent.", {
        name: text("Its namespace, a slash and its name.", fullName),
        ...countFields,
        expectedTargets,
      }),
      { maxItems: 16, uniqueBy: "name" },
    ),
  ),
  rejected: optional(rejectedList),
  withoutTargets: optional(targetlessList),
  withoutMeaning: optional(withoutMeaning),
});

/** Its conditions, with what they say when they are True. */
export const metricsInstanceConditions = {
  Ready: "Selected and MonitorsAccepted are.",
  Selected: "An agent runs it.",
  MonitorsAccepted: "Nothing was left out of the configuration; if not, it says what, why, and what to do.",
  TargetsFound:
    "Every job finds a target; if not, it says which monitor finds none, and why, or why that is not known.",
} as const;

export const metricsInstanceResource = {
  group: monitoringGroup,
  version: monitoringVersion,
  kind: "MetricsInstance",
  plural: "metricsinstances",
  shortNames: ["min"],
  categories: ["bowline"],
  scope: "Namespaced",
  description: "What one team has a MetricsAgent collect, and where it goes.",
  spec,
  status,
  columns: [
    { header: "MONITORS", path: "status.monitors.selected" },
    { header: "REJECTED", path: "status.monitors.rejected" },
    { header: "TARGETS", path: "status.expectedTargets" },
    { header: "JOBS", path: "status.monitors.scrapeJobs", wide: true },
    { header: "READY", path: "status.conditions.Ready" },
  ],
} as const satisfies CustomResourceOptions;

export type MetricsInstanceSpec = StaticInput<typeof spec>;
export type MetricsInstanceStatus = StaticInput<typeof status>;
