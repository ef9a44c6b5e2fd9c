/** @public For the facts of kinds, the graph and its questions. */
export {
  containerRef,
  nodeKey,
  nodeKind,
  parseNodeKey,
  sharedKinds,
  volumeRef,
  type NodeRef,
} from "./model/node.ts";
/** @public For the facts of kinds, the graph and its questions. */
export {
  edgeTypes,
  type EdgeEnd,
  type EdgeFacts,
  type EdgeType,
  type ObjectFacts,
  type PartFacts,
  type PolicyRule,
  type Properties,
  type PropertyValue,
  type SelectionFacts,
} from "./model/object-facts.ts";
/** @public For the facts of kinds. */
export { factLimits } from "./model/limits.ts";
