/** @public For the controller of workloads. */
export { parseManifests } from "./parse-manifests.ts";
