/** @public For the controller of workloads. */
export {
  fillParameters,
  type ClusterFacts,
  type FilledManifests,
  type FillValues,
  type RefusedManifest,
} from "./fill-parameters.ts";
export { jsonPatchProblem } from "./json-patch.ts";
export { maxManifestBytes } from "./limits.ts";
/** @public For the controller of workloads. */
export { maxManifestDepth, maxManifestObjects } from "./limits.ts";
/** @public For the controller of workloads. */
export { objectKey, objectLabel, type ManifestObject, type ObjectKey } from "./manifest-object.ts";
export { parameterProblem, parameterTypes, readParameter } from "./parameters.ts";
/** @public For the controller of workloads. */
export {
  chooseParameters,
  type ChosenParameters,
  type DeclaredParameter,
  type GivenParameter,
  type ParameterType,
} from "./parameters.ts";
export { parseManifests } from "./parse-manifests.ts";
/** @public For the controller of workloads. */
export type { ParsedManifests } from "./parse-manifests.ts";
/** @public For the controller of workloads. */
export { patchObjects, type ObjectPatch } from "./patch-objects.ts";
export { describeProblem } from "./problem.ts";
export { locateDocuments, parseYaml, type LocatedDocuments } from "./read-documents.ts";
/** @public For the controller of workloads. */
export type { ManifestProblem } from "./problem.ts";
export { referenceProblems, referencesIn } from "./references-in.ts";
/** @public For the controller of workloads. */
export type { ReferencesInObjects, ReferenceUse } from "./references-in.ts";
/** @public For the controller of workloads. */
export { readRevision, revisionOf, revisionOfJson, type Revision, type RevisionContent } from "./revision.ts";
/** @public For the controller of workloads. */
export { applyStages, deleteStages, stageOf, type GroupKind } from "./stages.ts";
