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
} from "../schema/build.ts";
import { singleLine } from "../schema/text-rule.ts";
import { clusterName, count, GraphEdge, graphLimits, GraphNode, nameLength } from "./graph-answer.ts";

const trouble = choice(
  "What speaks against it, by its phase or because nobody has seen it; missing where nothing does. Readiness is not known.",
  ["Degraded", "Missing", "Unknown", "Progressing", "Suspended"],
);

/** An edge for every pair would be too many; more are never told. */
const mostEdges = 20 * graphLimits.drawn;

export const AroundData = object("What is around something.", {
  found: flag("Whether anybody has seen it or refers to it, as far as the asker may see."),
  properties: optional(
    map("What the one in the middle says about itself.", anything("A value."), {
      keys: { ...singleLine, maxLength: nameLength },
      maxProperties: graphLimits.items,
    }),
  ),
  total: integer("How many objects there are, those included that are withheld or did not fit.", count),
  nodes: list(
    "The one in the middle first, then the nearest. What is inside of a pod is the pod.",
    object("An object, or several that are alike.", {
      node: GraphNode,
      hop: integer("How far from the one in the middle.", count),
      trouble: optional(trouble),
      replicas: optional(
        integer("It stands for so many, of which it is the first by name; missing for one alone.", count),
      ),
    }),
    { maxItems: graphLimits.drawn },
  ),
  edges: list(
    "What connects them.",
    object("An edge, or several of a type between the same two.", {
      from: integer("The place in the list of nodes, from 0.", count),
      to: integer("The place in the list of nodes, from 0.", count),
      edge: GraphEdge,
      count: optional(integer("It stands for so many; missing for one alone.", count)),
    }),
    { maxItems: mostEdges },
  ),
  leftOut: list(
    "What did not fit, the most first.",
    object("Objects of a kind.", {
      kind: line("The kind; empty for what is withheld.", singleLine, nameLength),
      trouble: optional(trouble),
      count: integer("How many.", count),
    }),
    { maxItems: graphLimits.parts },
  ),
});

export const TimelineData = object("When objects came, went and changed.", {
  since: dateTime("Where the first interval begins."),
  until: dateTime("Where the last one ends."),
  keptSince: dateTime("How long ago is kept, of the cluster of which most is."),
  stepMs: integer("How long an interval is.", count),
  steps: list(
    "The intervals in which something has changed, in their order.",
    object("An interval.", {
      at: dateTime("When it begins."),
      came: integer("How many objects came.", count),
      changed: integer("How many say something else.", count),
      went: integer("How many went.", count),
    }),
    { maxItems: graphLimits.items },
  ),
  gaps: list(
    "When something was not observed.",
    object("A time.", {
      cluster: clusterName,
      kind: line(
        "The kind, with its group if it comes with custom resources; empty for all of them.",
        singleLine,
        320,
      ),
      namespace: line("The namespace; empty for all of them.", singleLine),
      from: dateTime("Since when."),
      to: dateTime("Until when; the end of the last interval, if it is still so."),
      state: choice("Why; UNKNOWN before an agent has told anything.", ["FORBIDDEN", "FAILING", "UNKNOWN"]),
    }),
    { maxItems: graphLimits.gaps },
  ),
});
