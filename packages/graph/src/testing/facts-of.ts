import type { NodeRef } from "../model/node.ts";
import type { EdgeEnd, EdgeFacts, EdgeType, ObjectFacts, Properties } from "../model/object-facts.ts";

/** The name of a node written as `Secret/shop/db`. */
export function ref(key: string): NodeRef {
  const [kind = "", namespace = "", ...name] = key.split("/");
  return { kind, namespace, name: name.join("/") };
}

/** An edge of facts: ends are numbers of members, or written as `Secret/shop/db`. */
export function edge(
  type: EdgeType,
  ends: readonly [from: number | string, to: number | string],
  at: string,
  properties?: Properties,
): EdgeFacts {
  const [from, to] = ends.map((end): EdgeEnd => (typeof end === "number" ? end : ref(end)));
  return { type, from: from ?? 0, to: to ?? 0, at, ...(properties === undefined ? {} : { properties }) };
}

/** What an object says, of which most say little. Its uid is its key where none is given. */
export function factsOf(key: string, facts: Partial<Omit<ObjectFacts, "node">> = {}): ObjectFacts {
  return {
    node: ref(key),
    uid: `uid:${key}`,
    properties: {},
    parts: [],
    edges: [],
    selections: [],
    ...facts,
  };
}
