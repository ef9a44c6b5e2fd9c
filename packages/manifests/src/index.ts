/** @public For the controller of workloads. */
export {
  fillParameters,
  type ClusterFacts,
  type FilledManifests,
  type FillValues,
  type GivenParameter,
} from "./fill-parameters.ts";
export { maxManifestBytes } from "./limits.ts";
/** @public For the controller of workloads. */
export { maxManifestDepth, maxManifestObjects } from "./limits.ts";
/** @public For the controller of workloads. */
export { objectKey, objectLabel, type ManifestObject, type ObjectKey } from "./manifest-object.ts";
export { parameterProblem, parameterTypes } from "./parameter-type.ts";
/** @public For the controller of workloads. */
export type { ParameterType } from "./parameter-type.ts";
export { parseManifests } from "./parse-manifests.ts";
/** @public For the controller of workloads. */
export type { ParsedManifests } from "./parse-manifests.ts";
export { describeProblem } from "./problem.ts";
/** @public For the controller of workloads. */
export type { ManifestProblem } from "./problem.ts";
export { referencesIn } from "./references-in.ts";
/** @public For the controller of workloads. */
export type { ReferencesInObjects, ReferenceUse } from "./references-in.ts";
/** @public For the controller of workloads. */
export { objectsOf, revisionOf, type Revision } from "./revision.ts";
/** @public For the controller of workloads. */
export { applyStages, deleteStages, type GroupKind } from "./stages.ts";
