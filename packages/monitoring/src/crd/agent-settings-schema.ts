/** The part of a MetricsAgent about the configuration of its collectors; named as in a Prometheus custom resource. */
import { choice, flag, integer, list, map, object, optional, text } from "@bowline/api";

import { scrapeProtocols } from "../model/collector-version.ts";
import {
  byteSize,
  httpUrl,
  labelName,
  longText,
  objectName,
  prometheusDuration,
  shortText,
} from "./field-schemas.ts";
import { authorizationSchema, basicAuthSchema, proxyFields, tlsSchema } from "./http-client-schema.ts";
import { relabeling, relabelingLimits } from "./relabeling-schema.ts";

const scrapeClass = object("Settings that monitors use by name.", {
  name: text("Its name.", { minLength: 1, maxLength: 253 }),
  default: optional(flag("Whether monitors that name no class use it.")),
  fallbackScrapeProtocol: optional(
    choice("The format of targets that do not say which one they speak.", scrapeProtocols),
  ),
  tlsConfig: optional(tlsSchema),
  authorization: optional(authorizationSchema),
  relabelings: optional(
    list("Rules for targets, before those of the monitor.", relabeling, relabelingLimits),
  ),
  metricRelabelings: optional(
    list("Rules for samples, before those of the monitor.", relabeling, relabelingLimits),
  ),
  attachMetadata: optional(
    object("What is attached to targets.", { node: optional(flag("Whether the labels of their node are.")) }),
  ),
});

const limit = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

export const enforcedFields = {
  enforcedNamespaceLabel: optional(
    text(
      "A label that gets the namespace of the monitor, whatever the monitor or the target says.",
      labelName,
    ),
  ),
  excludedFromEnforcement: optional(
    list(
      "Monitors whose samples do not get that label.",
      object("Monitors of a kind.", {
        group: optional(text("Their group.", objectName)),
        resource: choice("The plural of their kind.", [
          "servicemonitors",
          "podmonitors",
          "probes",
          "scrapeconfigs",
        ]),
        namespace: text("Their namespace.", objectName),
        name: optional(text("The name of one; all without it.", objectName)),
      }),
      { maxItems: 256 },
    ),
  ),
  enforcedSampleLimit: optional(integer("The most samples of a scrape.", limit)),
  enforcedTargetLimit: optional(integer("The most targets of a job.", limit)),
  enforcedLabelLimit: optional(integer("The most labels of a sample.", limit)),
  enforcedLabelNameLengthLimit: optional(integer("The longest name of a label.", limit)),
  enforcedLabelValueLengthLimit: optional(integer("The longest value of a label.", limit)),
  enforcedKeepDroppedTargets: optional(
    integer("The most targets that are remembered although no job keeps them.", limit),
  ),
  enforcedBodySizeLimit: optional(text("The largest body of a scrape.", byteSize)),
};

const apiServer = object("How the collectors reach the API server; as their service account without it.", {
  host: text("Its address.", httpUrl),
  basicAuth: optional(basicAuthSchema),
  authorization: optional(authorizationSchema),
  tlsConfig: optional(tlsSchema),
  ...proxyFields,
});

export const scrapeFields = {
  scrapeInterval: optional(text("How often targets are scraped; 30s without it.", prometheusDuration)),
  scrapeTimeout: optional(text("How long a scrape may take.", prometheusDuration)),
  externalLabels: optional(
    map("Labels on everything that is written.", text("The value.", longText), {
      keys: labelName,
      maxProperties: 64,
    }),
  ),
  metricsExternalLabelName: optional(
    text("The external label that names this agent; cluster without it, none if empty.", labelName),
  ),
  replicaExternalLabelName: optional(
    text("The external label that tells replicas apart; __replica__ without it, none if empty.", labelName),
  ),
  overrideHonorLabels: optional(flag("Whether labels of targets never win over those of the job.")),
  overrideHonorTimestamps: optional(flag("Whether timestamps of targets are never used.")),
  ignoreNamespaceSelectors: optional(
    flag("Whether monitors find targets in their own namespace only, whatever they say."),
  ),
  arbitraryFSAccessThroughSMs: optional(
    object("Whether monitors may name files of the collector.", {
      deny: optional(flag("They may only where this is false.")),
    }),
  ),
  podTargetLabels: optional(
    list("Labels of pods that all targets get.", text("A label.", shortText), { maxItems: 64 }),
  ),
  serviceDiscoveryRole: optional(
    choice("How the targets of ServiceMonitors are found.", ["Endpoints", "EndpointSlice"]),
  ),
  scrapeClasses: optional(
    list("Settings that monitors use by name.", scrapeClass, { maxItems: 64, uniqueBy: "name" }),
  ),
  apiserverConfig: optional(apiServer),
};
