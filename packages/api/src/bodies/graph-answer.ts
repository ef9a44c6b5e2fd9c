import type { Static } from "typebox";

import {
  anything,
  choice,
  dateTime,
  flag,
  integer,
  line,
  list,
  map,
  object,
  optional,
  text,
} from "../schema/build.ts";
import { dnsLabel, singleLine, type TextRule } from "../schema/text-rule.ts";

const count = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;

const CoverageGap = object("Something that was not observed at that time, so that the answer may lack it.", {
  cluster: text("Name of the Cluster.", dnsLabel),
  kind: line("The kind, with its group if it comes with custom resources.", singleLine, 320),
  namespace: line("The namespace; empty for all of them.", singleLine),
  since: dateTime("Since when."),
  state: choice("Why; UNKNOWN for what no agent has ever told of.", ["FORBIDDEN", "FAILING", "UNKNOWN"]),
  message: optional(text("Why, for people.", { maxLength: 1024 })),
});

/** The most that one answer tells. */
export const graphLimits = { clusters: 10_000, gaps: 1_000 } as const;

/** The answer to a question about the objects of clusters. */
export const GraphAnswer = object("The answer to a question about the objects of clusters.", {
  asOf: dateTime("The moment that the answer is about, by the oldest of the graphs it was made from."),
  ageMs: integer("How long ago the oldest of those graphs was compared with what is stored.", count),
  clusters: list("The Clusters that were asked.", text("Name of a Cluster.", dnsLabel), {
    maxItems: graphLimits.clusters,
  }),
  withheldClusters: integer("How many were not, because the asker has no AccessGrant for them.", count),
  withheld: integer("How much was left out because the asker may not see it.", count),
  truncated: flag("Whether there is more than the answer tells."),
  notObserved: list("What was not observed at that time.", CoverageGap, { maxItems: graphLimits.gaps }),
  data: anything("The answer itself; each question has its own."),
});
export type GraphAnswer = Static<typeof GraphAnswer>;

/** A node in an address. Names of users may have slashes. */
const nodeName: TextRule = {
  pattern: "^[^/\\p{Cc}]+/[^/\\p{Cc}]*/[^\\p{Cc}]+$",
  expects: "KIND/NAMESPACE/NAME, such as Secret/shop/db or Node//worker-1",
  minLength: 4,
  maxLength: 1_024,
};

const when = {
  cluster: optional(text("Only in this Cluster.", dnsLabel)),
  at: optional(dateTime("The time that is asked about; missing for now.")),
};

/** Who uses something. */
export const UsesFilters = object("What is asked.", {
  node: line("KIND/NAMESPACE/NAME; the namespace is empty for what is in none.", nodeName),
  ...when,
});
export type UsesFilters = Static<typeof UsesFilters>;

/** How one gets from one thing to another. */
export const PathFilters = object("What is asked.", {
  from: line("Where to begin: KIND/NAMESPACE/NAME.", nodeName),
  to: line("Where to get to: KIND/NAMESPACE/NAME.", nodeName),
  ...when,
});
export type PathFilters = Static<typeof PathFilters>;

const ClusterView = object("Numbers about a cluster as a whole, as its agent has counted them.", {
  name: line("Which numbers.", singleLine),
  updatedAt: dateTime("When one of them was last another."),
  numbers: map("The numbers by name.", integer("A number.", { ...count, minimum: -count.maximum }), {
    keys: singleLine,
    maxProperties: 12_000,
  }),
});

/** What an agent has counted in its cluster. */
export const ClusterViews = object("What the agent of a Cluster has counted.", {
  items: list("The views, by name.", ClusterView, { maxItems: 100 }),
});
export type ClusterViews = Static<typeof ClusterViews>;
