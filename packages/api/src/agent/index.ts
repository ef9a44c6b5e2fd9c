/** What runs an agent in a cluster: for `bowline cluster add`, and for those who ask the server for the same. */
export {
  agentManifest,
  joinSecret,
  namespaceObject,
  printManifest,
  type KubernetesObject,
} from "./agent-manifest.ts";
export { clusterRulesFor } from "./agent-rights.ts";
export { agentNames, clusterRoleName } from "./agent-rules.ts";
