/** @public For the controller of workloads. */
export {
  fillParameters,
  type ClusterFacts,
  type FilledManifests,
  type FillValues,
  type GivenParameter,
} from "./fill-parameters.ts";
/** @public For the controller of workloads. */
export { maxManifestBytes, maxManifestDepth, maxManifestObjects } from "./limits.ts";
/** @public For the controller of workloads. */
export { objectKey, objectLabel, type ManifestObject, type ObjectKey } from "./manifest-object.ts";
/** @public For the controller of workloads. */
export { parameterProblem, parameterTypes, type ParameterType } from "./parameter-type.ts";
/** @public For the controller of workloads. */
export { parseManifests, type ParsedManifests } from "./parse-manifests.ts";
/** @public For the controller of workloads. */
export { describeProblem, type ManifestProblem } from "./problem.ts";
/** @public For the controller of workloads. */
export { referencesIn, type ReferencesInObjects, type ReferenceUse } from "./references-in.ts";
/** @public For the controller of workloads. */
export { objectsOf, revisionOf, type Revision } from "./revision.ts";
/** @public For the controller of workloads. */
export { applyStages, deleteStages, type GroupKind } from "./stages.ts";
