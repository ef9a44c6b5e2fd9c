import { shortened } from "@bowline/core";

import type { Graph, GraphEdge, GraphNode } from "../graph/graph.ts";
import type { EdgeType, Properties } from "../model/object-facts.ts";
import { nodeText as refText } from "../rbac/access.ts";
import { ruleText } from "../rbac/rule.ts";
import { isWithheld, maySee, refNode, withheld, type Asking, type Withheld } from "./asking.ts";
import { mountsToken } from "./rbac-of.ts";
import type { RightEdge } from "./secret-rights.ts";

/** Edges that paths go over: those of objects, and those that follow from rights. */
export type WalkEdge = GraphEdge | RightEdge;

/** An edge as answers tell it. */
export interface SeenEdge {
  /**
   * `CONTAINS` is a namespace and what is in it, which no field has to say; `CAN_READ` a ServiceAccount and a Secret that
   * a rule lets it read.
   */
  readonly type: EdgeType | "CONTAINS" | "CAN_READ";
  /** JSON pointer to the field that says so. */
  readonly at: string;
  /** It follows from labels, or from rules. */
  readonly derived?: true;
  readonly properties?: Properties;
  /** `container app of Pod shop/web reads Secret shop/db (/spec/containers/0/env/0/valueFrom/secretKeyRef)`. */
  readonly sentence: string;
}

export type AnswerEdge = SeenEdge | Withheld;

const verbs: Readonly<Record<EdgeType, string>> = {
  OWNS: "owns",
  HAS_CONTAINER: "has",
  USES_VOLUME: "uses",
  BACKED_BY: "is backed by",
  USES_CONFIGMAP: "reads",
  USES_SECRET: "reads",
  RUNS_IMAGE: "runs",
  RUNS_AS: "runs as",
  RUNS_ON: "runs on",
  SELECTS: "selects",
  ROUTES_TO: "leads to",
  ATTACHED_TO: "is attached to",
  BINDS: "binds",
  GRANTS: "grants",
};

/** An edge is withheld with either of its ends: its field would tell about both. */
export function answerEdge(asking: Asking, edge: WalkEdge): AnswerEdge {
  if (!maySee(asking, edge.from) || !maySee(asking, edge.to)) return withheld;
  if (edge.type === "CAN_READ") return answerRight(asking, edge);
  const { type, at, derived, properties } = edge;
  return {
    type,
    at,
    ...(derived ? { derived: true } : {}),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    sentence: sentence(asking.graph, edge),
  };
}

/** The rule is told to who may see its role and the binding. */
function answerRight(asking: Asking, { from, to, at, grant }: RightEdge): AnswerEdge {
  const { graph } = asking;
  const cluster = graph.cluster(from) ?? "";
  const { binding, rule, policy } = grant;
  const isTold = [binding, rule.role].every((ref) => !isWithheld(refNode(asking, cluster, ref)));
  const what = `${nodeText(graph, from)} can read ${nodeText(graph, to)}`;
  if (!isTold)
    return { type: "CAN_READ", at: "", derived: true, sentence: `${what} by a rule that is withheld` };
  const text = shortened(ruleText(policy), ruleLength);
  return {
    type: "CAN_READ",
    at,
    derived: true,
    properties: { rule: text, role: refText(rule.role), binding: refText(binding) },
    sentence: `${what}: the rule "${text}" of ${refText(rule.role)} (${at}) by ${refText(binding)}`,
  };
}

/** A rule may list a thousand names. */
const ruleLength = 1_024;

function sentence(graph: Graph, { type, from, to, at, properties }: GraphEdge): string {
  const field = at === "" ? "" : ` (${at})`;
  const isTokenless = type === "RUNS_AS" && !mountsToken(properties, graph.properties(to));
  return `${nodeText(graph, from)} ${verbs[type]} ${nodeText(graph, to)}${isTokenless ? ", without its token" : ""}${field}`;
}

/** `Secret shop/db`; `container app of Pod shop/web`. */
export function nodeText(graph: Graph, node: GraphNode): string {
  const { kind, namespace, name } = graph.ref(node);
  const [pod = "", ...part] = name.split("/");
  const last = part.at(-1);
  if (kind === "Container" && last !== undefined) return `container ${last} of Pod ${namespace}/${pod}`;
  if (kind === "Volume" && last !== undefined) return `volume ${last} of Pod ${namespace}/${pod}`;
  return namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
