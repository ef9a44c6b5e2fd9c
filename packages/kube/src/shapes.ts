/** Shapes of the Kubernetes API, apart from how it is reached: browsers have neither undici nor kubeconfigs. */
export { resourcePath } from "./client/resource-path.ts";
export { aggregatedAccept, parseAggregated } from "./discovery/aggregated-discovery.ts";
export {
  findByKind,
  joinApis,
  type DiscoveredApis,
  type DiscoveredResource,
} from "./discovery/discovered-apis.ts";
export { parseGroups, readGroups } from "./discovery/legacy-discovery.ts";
export { arrayOf, numberOf, recordOf, textOf } from "./json-fields.ts";
export type { KubeObject, ObjectMeta, ResourceRef } from "./object.ts";
