import { choice, dateTime, integer, line, object, optional, text } from "../schema/build.ts";
import { dnsLabel, singleLine, type TextRule } from "../schema/text-rule.ts";
import { graphLimits, severities, walkedEdges } from "./graph-answer.ts";

/** A node in an address. Names of users may have slashes. */
const nodeName: TextRule = {
  pattern: "^[^/\\p{Cc}]+/[^/\\p{Cc}]*/[^\\p{Cc}]+$",
  expects: "KIND/NAMESPACE/NAME, such as Secret/shop/db or Node//worker-1",
  minLength: 4,
  maxLength: 1_024,
};

const someText: TextRule = { ...singleLine, minLength: 1 };
const cluster = optional(text("Only in this Cluster.", dnsLabel));
const when = { cluster, at: optional(dateTime("The time that is asked about; missing for now.")) };
const namespace = optional(text("Only in this namespace.", dnsLabel));
const limit = optional(
  integer("How many of each list to tell at most.", { minimum: 1, maximum: graphLimits.items }),
);

/** Who uses something, and what depends on it. */
export const NodeFilters = object("What is asked.", {
  node: line("KIND/NAMESPACE/NAME; the namespace is empty for what is in none.", nodeName),
  ...when,
  limit,
});

/** What is around something. */
export const AroundFilters = object("What is asked.", {
  node: NodeFilters.properties.node,
  depth: optional(integer("How many hops; 2 if missing.", { minimum: 1, maximum: 3 })),
  edges: optional(
    line("Only over edges of these types, with commas between them; all if missing.", {
      pattern: `^(${walkedEdges.join("|")})(,(${walkedEdges.join("|")})){0,31}$`,
      expects: `some of ${walkedEdges.join(", ")}, with commas between them`,
      minLength: 1,
      maxLength: 1_024,
    }),
  ),
  ...when,
  limit: optional(
    integer("How many nodes to tell; what is alike is one. 200 if missing.", {
      minimum: 1,
      maximum: graphLimits.drawn,
    }),
  ),
});

/** When objects came, went and changed. */
export const TimelineFilters = object("What is asked.", {
  since: optional(dateTime("Where to begin; missing for as long ago as is kept.")),
  until: optional(dateTime("Where to end; missing for now.")),
  steps: optional(integer("How many intervals to count; 120 if missing.", { minimum: 1, maximum: 500 })),
  namespace,
  cluster,
});

export const PathFilters = object("What is asked.", {
  from: line("Where to begin: KIND/NAMESPACE/NAME.", nodeName),
  to: line("Where to get to: KIND/NAMESPACE/NAME.", nodeName),
  ...when,
});

export const ImagesFilters = object("What is asked.", {
  image: optional(line("Part of a reference or of a digest.", someText, 1_024)),
  ...when,
  limit,
});

export const OrphansFilters = object("What is asked.", { namespace, ...when, limit });

export const AuditFindingFilters = object("What is asked.", {
  severity: optional(choice("Only findings that are at least as bad.", severities)),
  namespace,
  ...when,
  limit,
});

/** Who may do something. */
export const WhoCanFilters = object("What is asked.", {
  verb: line("What they would do: get, list, create, escalate and so on.", someText, 63),
  resource: line(
    "To what: secrets, deployments.apps, pods/exec, or /metrics for a path that is no resource.",
    {
      pattern: "^(/[^\\p{Cc}]*|[^/.\\p{Cc}]+(\\.[^/\\p{Cc}]+)?(/[^/\\p{Cc}]+)?)$",
      expects: "a resource such as secrets, deployments.apps or pods/exec, or a path such as /metrics",
      minLength: 1,
      maxLength: 512,
    },
  ),
  namespace: optional(text("In this namespace; missing for any.", dnsLabel)),
  name: optional(line("To the object of this name; missing for a request that names none.", someText)),
  ...when,
  limit,
});

/** What somebody may do. */
export const WhatCanFilters = object("What is asked.", {
  subject: line("user:NAME, group:NAME or serviceaccount:NAMESPACE/NAME.", {
    pattern:
      "^((user|group):[^\\p{Cc}]+|(User|Group)//[^\\p{Cc}]+|(serviceaccount|sa):[^/\\p{Cc}]+/[^/\\p{Cc}]+|ServiceAccount/[^/\\p{Cc}]+/[^/\\p{Cc}]+)$",
    expects: "user:NAME, group:NAME or serviceaccount:NAMESPACE/NAME",
    minLength: 4,
    maxLength: 1_024,
  }),
  namespace: optional(
    text("Only what holds in this namespace, if only because it holds everywhere.", dnsLabel),
  ),
  ...when,
  limit,
});

/** What has changed between two times. */
export const DiffFilters = object("What is asked.", {
  from: dateTime("The time before."),
  to: optional(dateTime("The time after; missing for now.")),
  namespace,
  cluster,
  limit,
});

const exportFormats = ["cypher", "json", "dot"] as const;
export type GraphExportFormat = (typeof exportFormats)[number];

/** A graph for another program. */
export const ExportFilters = object("What is asked.", {
  format: choice("As what.", exportFormats),
  cluster: text("Of which Cluster.", dnsLabel),
  at: when.at,
});

export const SearchFilters = object("What is asked.", {
  text: line("Part of a name, a label, an image, an IP address or a uid.", someText),
  kind: optional(line("Only of this kind.", someText)),
  ...when,
  limit,
});
