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
/** @public For the questions. */
export { factLimits } from "./model/limits.ts";
/** @public The agent tells facts, the server keeps and reads them. */
export { encodeFacts, factsDigest } from "./model/encode-facts.ts";
/** @public For the server's graph. */
export { decodeFacts, type FactsOwner } from "./model/decode-facts.ts";
/** @public For the agent's observers. */
export { graphKinds, kindFacts } from "./facts/kinds.ts";
/** @public For the agent's observers. */
export type { KindFacts } from "./facts/kind-facts.ts";
/** @public For the questions. */
export {
  allows,
  whatCan,
  whoCan,
  type AccessAnswer,
  type AccessHolder,
  type AccessHolders,
  type EffectiveRules,
  type Grant,
} from "./rbac/access.ts";
/** @public For the questions. */
export { becomes, stepText, type Becoming, type BecomesOptions } from "./rbac/becomes.ts";
/** @public For the questions. */
export type { EscalationStep, HeldRight, StepTarget, Way } from "./rbac/escalation-step.ts";
/** @public For the questions. */
export {
  severities,
  type Evidence,
  type RbacFinding,
  type RbacFindingCode,
  type Severity,
} from "./rbac/finding.ts";
/** @public For the questions. */
export { rbacFindings, type FindingOptions } from "./rbac/findings.ts";
/** @public For the graph of a cluster. */
export { compileRbac, type Rbac } from "./rbac/rbac.ts";
/** @public For the questions. */
export type { AccessRequest, PathRequest, ResourceRequest, RuleRef } from "./rbac/rule.ts";
/** @public For the questions. */
export { ruleOrigins } from "./rbac/rule-origins.ts";
/** @public For the questions. */
export type { KnownAccount, KnownAccounts } from "./rbac/subject-ways.ts";
/** @public For the questions. */
export { userOf, type UserInfo } from "./rbac/subject.ts";
/** @public For the server, which keeps one of each cluster. */
export { ClusterGraph, type ClusterEdge } from "./graph/cluster-graph.ts";
/** @public For the questions of the server. */
export { Graph, type GraphEdge, type GraphNode } from "./graph/graph.ts";
/** @public For exports by the server. */
export { maySee } from "./questions/asking.ts";
/** @public For the server's questions: who asks, and what is known to be missing. */
export type { AnswerFrame, AnswerNode, Asking, CoverageGap, SeenNode, Withheld } from "./questions/asking.ts";
/** @public For the server, which answers by them. */
export type { AnswerEdge, SeenEdge } from "./questions/answer-edge.ts";
/** @public For the server, which answers by them. */
export { uses, type User, type UsesAnswer } from "./questions/uses.ts";
/** @public For the server, which answers by them. */
export {
  blastRadius,
  type BlastRadiusAnswer,
  type BlastRadiusOptions,
  type Concerned,
} from "./questions/blast-radius.ts";
/** @public For the server, which answers by them. */
export {
  around,
  type AroundAnswer,
  type AroundEdge,
  type AroundNode,
  type AroundOptions,
  type LeftOut,
} from "./questions/around.ts";
/** @public For the server, which answers by them. */
export type { Trouble } from "./questions/trouble.ts";
/** @public For the server, which answers by them. */
export { path, type Hop, type PathAnswer, type PathCut } from "./questions/path.ts";
/** @public For the server, which answers by them. */
export {
  images,
  type ImageAlias,
  type ImagePlace,
  type ImagesAnswer,
  type ImagesOptions,
  type ImageUse,
} from "./questions/images.ts";
/** @public For the server, which answers by them. */
export {
  orphans,
  type Dangling,
  type Orphan,
  type OrphansAnswer,
  type OrphansOptions,
} from "./questions/orphans.ts";
/** @public For the server, which answers by them. */
export {
  audit,
  type AuditAnswer,
  type AuditOptions,
  type Finding,
  type FindingPlace,
} from "./questions/audit.ts";
/** @public For the server, which answers by them. */
export { exposure, type Exposure, type ExposureAnswer, type ExposureOptions } from "./questions/exposure.ts";
/** @public For the server, which answers by them. */
export type { EntryWay } from "./questions/exposed-services.ts";
/** @public For the server, which answers by them. */
export type { AnswerGrant } from "./questions/answer-grant.ts";
/** @public For the server, which answers by them. */
export {
  whoCanDo,
  type AccountHolder,
  type Holder,
  type Person,
  type PersonHolder,
  type WhoCanAnswer,
  type WhoCanOptions,
} from "./questions/who-can.ts";
/** @public For the server, which answers by them. */
export {
  whatCanDo,
  type BecomingStep,
  type ClusterRights,
  type WhatCanAnswer,
  type WhatCanOptions,
} from "./questions/what-can.ts";
/** @public For the server, which answers by them. */
export type { Match } from "./questions/search-hits.ts";
/** @public For the server, which answers by them. */
export { search, type SearchAnswer, type SearchHit, type SearchOptions } from "./questions/search.ts";
/** @public For the server, which answers by them. */
export {
  diff,
  type DiffOptions,
  type Change,
  type DiffAnswer,
  type EdgeChange,
  type NodeChange,
  type PropertyChange,
} from "./questions/diff.ts";
export { exportedId, flatProperties, mapOfFlat, type FlatProperties } from "./export/flat-properties.ts";
export { cypherExport, cypherLabel } from "./export/cypher.ts";
export { isClusterResource, pluralOf } from "./rbac/builtin-resources.ts";
/** @public For exports by the server. */
export { dotExport, jsonExport } from "./export/text-exports.ts";
/** @public For exports. */
export {
  exportedEdges,
  exportedNodes,
  type ExportedEdge,
  type ExportedNode,
  type ExportOptions,
} from "./export/exported-graph.ts";
export { isNewer } from "./graph/rivals.ts";
