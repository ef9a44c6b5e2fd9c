import { choice, flag, integer, line, list, map, object, optional, text } from "../schema/build.ts";
import { singleLine } from "../schema/text-rule.ts";
import {
  clusterName,
  count,
  GraphEdge,
  graphLimits,
  GraphNode,
  nameLength,
  pointer,
  sentence,
  sentenceLength,
  severities,
} from "./graph-answer.ts";

const items = { maxItems: graphLimits.items };
const parts = { maxItems: graphLimits.parts };
const name = (description: string) => line(description, singleLine, nameLength);
const found = flag("Whether anybody has seen it or refers to it, as far as the asker may see.");
const total = integer("How many there are, those included that are withheld or did not fit.", count);

export const UsesData = object("Who uses something.", {
  target: optional(GraphNode),
  found,
  total,
  users: list(
    "Those who use it.",
    object("Somebody who uses it.", {
      user: GraphNode,
      owners: list("Who owns them, from the nearest to the workload at the top.", GraphNode, parts),
      ways: list("Each way to what is used.", list("Edge by edge.", GraphEdge, { maxItems: 2 }), parts),
      optional: flag("They go without, if it is not there."),
    }),
    items,
  ),
});

const concerned = list(
  "The nearest first.",
  object("Something that is concerned.", {
    node: GraphNode,
    hop: integer("How far away it is.", count),
    after: GraphNode,
    because: GraphEdge,
    replicas: optional(
      integer(
        "The same is true of so many replicas of a workload, of which this is the first by name; missing for one alone.",
        count,
      ),
    ),
  }),
  items,
);

export const BlastRadiusData = object("What depends on something, and what it reaches.", {
  start: optional(GraphNode),
  found,
  depending: concerned,
  reached: concerned,
});

const hop = object("A hop.", {
  from: GraphNode,
  to: GraphNode,
  edges: list("What connects the two: each of them would do.", GraphEdge, parts),
});

export const PathData = object("How one gets from one thing to another.", {
  from: optional(GraphNode),
  to: optional(GraphNode),
  found: flag("Whether there is a way that the asker may learn of."),
  direction: choice("backward: there is none from here to there, but one from there to here.", [
    "forward",
    "backward",
  ]),
  hops: list("One of the shortest ways, hop by hop.", hop, items),
  alternatives: integer("How many ways there are that are as short.", count),
  cut: object("The hop that is best removed.", {
    removes: choice("What is gone without it.", ["every path", "every shortest path", "nothing"]),
    hop: optional(integer("Which of the hops it is; the first is 0.", count)),
    sentence,
  }),
});

export const ImagesData = object("Which images run where.", {
  total,
  images: list(
    "The images.",
    object("An image.", {
      digest: optional(name("Its digest; missing while nobody knows it.")),
      aliases: list(
        "The references by which it was asked for, those of most containers first.",
        object("A reference.", {
          reference: name("The whole of it."),
          registry: optional(name("The registry in it.")),
          repository: optional(name("The repository in it.")),
          tag: optional(name("The tag in it.")),
          containers: integer("How many containers ask for it.", count),
        }),
        parts,
      ),
      containers: integer("How many containers run it.", count),
      clusters: list("Where.", clusterName, { maxItems: graphLimits.clusters }),
      where: list(
        "The workloads that run it.",
        object("A workload.", { workload: GraphNode, containers: integer("How many of its run it.", count) }),
        parts,
      ),
      withheld: integer("How many of those who run it the asker may not see.", count),
    }),
    items,
  ),
});

export const OrphansData = object("What nobody uses, and what is used and does not exist.", {
  unused: list(
    "Secrets, ConfigMaps, PersistentVolumeClaims and ServiceAccounts that nobody uses.",
    object("One of them.", {
      node: GraphNode,
      bound: optional(
        flag("A ServiceAccount that no pod runs as, but that has rights: its token may be used elsewhere."),
      ),
    }),
    items,
  ),
  dangling: list(
    "What is referred to and does not exist.",
    object("One of them.", {
      node: GraphNode,
      references: list(
        "Who refers to it.",
        object("A reference.", {
          from: GraphNode,
          edge: GraphEdge,
          optional: flag("Whoever refers to it goes without."),
        }),
        parts,
      ),
      optional: flag("All who refer to it go without."),
    }),
    items,
  ),
  expected: map(
    "How many of those that nobody refers to are expected to be there, by why.",
    integer("How many.", count),
    { keys: { ...singleLine, maxLength: nameLength }, maxProperties: graphLimits.parts },
  ),
  unknown: integer("References to kinds that are not observed: nobody knows whether they exist.", count),
});

const severity = choice("How bad it is.", severities);
const bySeverity = object("How many there are.", {
  critical: optional(integer("Critical ones.", count)),
  high: optional(integer("High ones.", count)),
  medium: optional(integer("Medium ones.", count)),
  low: optional(integer("Low ones.", count)),
});

export const AuditData = object("What an attacker would like.", {
  total,
  findings: list(
    "The worst first, those of Kubernetes itself last.",
    object("A finding.", {
      id: name("The same for as long as the workload or role has it."),
      code: name("What it is, as one word for programs."),
      severity,
      subject: GraphNode,
      message: text("What it is, for people.", { maxLength: sentenceLength }),
      evidence: list("Where it shows.", object("A place.", { node: GraphNode, at: pointer }), parts),
      count: integer("How many places show it, of which the first are told.", count),
      isSystem: optional(flag("It belongs to Kubernetes itself, which cannot do without.")),
    }),
    items,
  ),
  bySeverity,
});

export const ExposureData = object(
  "Secrets that can be read from behind Services that are reached from outside.",
  {
    total,
    exposures: list(
      "The worst first.",
      object("A Service and a Secret.", {
        id: name("The same for as long as there is any way, whichever pods there are."),
        severity,
        service: GraphNode,
        entry: choice("By what the Service is reached from outside.", [
          "LoadBalancer",
          "NodePort",
          "external address",
          "Ingress",
          "Gateway",
          "route",
          "withheld",
        ]),
        secret: GraphNode,
        hops: list("One of the ways, hop by hop.", hop, parts),
        ways: integer("How many fields and rules lead there.", count),
        cuts: list(
          "The fewest things that have to go, all of them, so that there is no way any more; the first of them.",
          text("One of them.", { maxLength: sentenceLength }),
          parts,
        ),
        cut: text("The same in one sentence.", { maxLength: 4 * sentenceLength }),
      }),
      items,
    ),
    bySeverity,
  },
);

export const SearchData = object("What was found.", {
  total: integer("How many there are that the asker may see.", count),
  hits: list(
    "The best first.",
    object("Something that was found.", {
      node: GraphNode,
      field: choice("Where the text is.", ["name", "label", "image", "ip", "uid"]),
      text: name("What has it in it."),
      match: choice("Whether it is the same, begins with it, or has it somewhere.", [
        "exact",
        "prefix",
        "part",
      ]),
    }),
    items,
  ),
});
