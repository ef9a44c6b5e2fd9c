import { choice, flag, list, object, optional, text } from "@bowline/api";

import { scrapeProtocols } from "../scrape/protocols.ts";
import { authorizationSchema, tlsSchema } from "./http-client-schema.ts";
import { relabeling, relabelingLimits } from "./relabeling-schema.ts";

export const scrapeClass = object("Settings that monitors use by name.", {
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
