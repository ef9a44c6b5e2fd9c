import type { Graph, GraphEdge, GraphNode } from "../graph/graph.ts";
import type { EdgeType, Properties } from "../model/object-facts.ts";
import { maySee, withheld, type Asking, type Withheld } from "./asking.ts";

/** An edge as answers tell it. */
export interface SeenEdge {
  /** `CONTAINS` is a namespace and what is in it, which no field has to say. */
  readonly type: EdgeType | "CONTAINS";
  /** JSON pointer to the field that says so. */
  readonly at: string;
  /** It follows from labels. */
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
export function answerEdge(asking: Asking, edge: GraphEdge): AnswerEdge {
  if (!maySee(asking, edge.from) || !maySee(asking, edge.to)) return withheld;
  const { type, at, derived, properties } = edge;
  return {
    type,
    at,
    ...(derived ? { derived: true } : {}),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    sentence: sentence(asking.graph, edge),
  };
}

function sentence(graph: Graph, { type, from, to, at }: GraphEdge): string {
  const field = at === "" ? "" : ` (${at})`;
  return `${nodeText(graph, from)} ${verbs[type]} ${nodeText(graph, to)}${field}`;
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
