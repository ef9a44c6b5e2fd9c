import type { Static } from "typebox";

import { choice, line, object, optional, text } from "../schema/build.ts";
import { singleLine } from "../schema/text-rule.ts";
import { resourceVersionRule } from "./metadata.ts";

/** What agents report about: the objects of workloads, and what the graph is made of. */
const reportTopics = ["workloads", "graph"] as const;

/** One change of what is known of a cluster; what it is, has to be asked for. */
export const ReportChange = object("Something else is known of a Cluster than before.", {
  cluster: line("The Cluster.", singleLine),
  topic: choice("What it is about: objects of workloads, or what questions are answered from.", reportTopics),
  resourceVersion: text("Another one after each change.", resourceVersionRule),
});
export type ReportChange = Static<typeof ReportChange>;

/** Which changes to watch, as parameters of the address. */
export const ReportFilters = object("Which changes.", {
  cluster: optional(
    line("Only of these Clusters: their names, with commas between them.", {
      ...singleLine,
      maxLength: 4096,
    }),
  ),
  topic: optional(choice("Only about this.", reportTopics)),
});
export type ReportFilters = Static<typeof ReportFilters>;
