import { Type, type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from "typebox";

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
import { dnsLabel, singleLine } from "../schema/text-rule.ts";

export const count = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;

export const CoverageGap = object(
  "Something that was not observed at that time, so that the answer may lack it.",
  {
    cluster: text("Name of the Cluster.", dnsLabel),
    kind: line("The kind, with its group if it comes with custom resources.", singleLine, 320),
    namespace: line("The namespace; empty for all of them.", singleLine),
    since: dateTime("Since when."),
    state: choice("Why; UNKNOWN for what no agent has ever told of.", ["FORBIDDEN", "FAILING", "UNKNOWN"]),
    message: optional(text("Why, for people.", { maxLength: 1024 })),
  },
);

/** The most that one answer tells. */
export const graphLimits = {
  clusters: 10_000,
  gaps: 1_000,
  items: 1_000,
  parts: 100,
  /** Of a picture, which is drawn and not read line by line. */
  drawn: 2_000,
} as const;

/** The worst first. */
export const severities = ["critical", "high", "medium", "low"] as const;

/** Longer than names of Kubernetes get; those of containers have the name of their pod before them. */
export const nameLength = 4_096;
/** A sentence has some names in it. */
export const sentenceLength = 16_384;

export const pointer = text("JSON pointer to the field that says so; empty where there is none.", {
  maxLength: nameLength,
});
export const sentence = text("The same for people.", { maxLength: sentenceLength });
export const clusterName = text("Name of a Cluster.", dnsLabel);

interface Withheld {
  withheld: true;
}

interface OrWithheld<Seen> extends TUnsafe<Seen | Withheld> {
  type: "object";
  properties: TProperties;
}

/** Something, or in its place that the asker may not see it. Said without a union, which schemas here do not have. */
function orWithheld<Properties extends TProperties>(
  description: string,
  seen: TObject<Properties>,
): OrWithheld<Static<TObject<Properties>>> {
  const withheld = flag("In place of everything else: the asker may not see it.");
  return Object.assign(Type.Unsafe<Static<TObject<Properties>> | Withheld>({}), {
    type: "object" as const,
    description,
    properties: { ...seen.properties, withheld },
    additionalProperties: false,
    minProperties: 1,
  });
}

/** An object of a cluster, something inside of one, or an image, user or group that is the same in all of them. */
export const GraphNode = orWithheld(
  "Something in a cluster.",
  object("One that may be seen.", {
    cluster: optional(clusterName),
    kind: line("The kind, with its group if it comes with custom resources.", singleLine, nameLength),
    namespace: line("The namespace; empty for what is in none.", singleLine, nameLength),
    name: line("The name.", singleLine, nameLength),
    uid: optional(line("The uid, if it is an object that was observed.", singleLine, nameLength)),
    dangling: optional(flag("It is referred to, and nobody has seen it.")),
    cut: optional(
      integer("So many of its references, labels, rules and the like are missing: it has too many.", count),
    ),
  }),
);

/** Types of edges that objects have of themselves, and that one can choose to go over. */
export const walkedEdges = [
  "OWNS",
  "HAS_CONTAINER",
  "USES_VOLUME",
  "BACKED_BY",
  "USES_CONFIGMAP",
  "USES_SECRET",
  "RUNS_IMAGE",
  "RUNS_AS",
  "RUNS_ON",
  "SELECTS",
  "ROUTES_TO",
  "ATTACHED_TO",
  "BINDS",
  "GRANTS",
] as const;

/** What connects two of them. */
export const GraphEdge = orWithheld(
  "What connects two things.",
  object("One that may be seen.", {
    type: choice(
      "In which way; CONTAINS is a namespace and what is in it, CAN_READ a ServiceAccount and a Secret that a rule lets it read.",
      [...walkedEdges, "CONTAINS", "CAN_READ"],
    ),
    at: pointer,
    derived: optional(flag("It follows from labels, or from rules.")),
    properties: optional(
      map("More about it.", anything("A value."), {
        keys: { ...singleLine, maxLength: nameLength },
        maxProperties: graphLimits.items,
      }),
    ),
    sentence,
  }),
);

const frame = {
  asOf: dateTime("The moment that the answer is about, by the oldest of the graphs it was made from."),
  ageMs: integer("How long ago the oldest of those graphs was compared with what is stored.", count),
  clusters: list("The Clusters that were asked.", clusterName, { maxItems: graphLimits.clusters }),
  withheldClusters: integer("How many were not, because the asker has no AccessGrant for them.", count),
  withheld: integer("How much was left out because the asker may not see it.", count),
  truncated: flag("Whether there is more than the answer tells."),
  notObserved: list("What was not observed at that time.", CoverageGap, { maxItems: graphLimits.gaps }),
};

/** The schema of an answer with its own data in it. */
export function graphAnswer<Data extends TSchema>(
  description: string,
  data: Data,
): TObject<typeof frame & { data: Data }> {
  return object(description, { ...frame, data });
}

/** What all answers have. */
const GraphAnswer = graphAnswer(
  "The answer to a question about the objects of clusters.",
  anything("The answer itself; each question has its own."),
);
export type GraphAnswer<Data = unknown> = Omit<Static<typeof GraphAnswer>, "data"> & { data: Data };
