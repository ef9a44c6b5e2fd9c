/** @public For the server and the command line. */
export { ClusterApiProvider } from "./clusterapi/cluster-api-provider.ts";
export type {
  ClusterApiAccess,
  ManagementCluster,
  TemplateRequest,
} from "./clusterapi/management-cluster.ts";
export { inlineConnection } from "./inline-connection.ts";
export { isEngineName, type EngineName } from "./kind/engine.ts";
export { findMarkedClusters } from "./kind/find-marked-clusters.ts";
export { kindProvider, loadImageArchive } from "./kind/kind-provider.ts";
export type { KindHost } from "./kind/kind-situation.ts";
export {
  advance,
  type ClusterAccess,
  type OrphanedResource,
  type Provider,
  type ProviderAnswer,
  type ProviderGoal,
  type ProviderPlan,
  type ProviderState,
  type ProviderStep,
  type ProviderWork,
  type WantedCluster,
} from "./provider.ts";
export {
  resourceToken,
  type ResourceRecord,
  type ResourceRecords,
  type ResourceState,
} from "./resource-record.ts";
export { ExecProvider } from "./exec/exec-provider.ts";
export { tryProgram, type TrialCheck, type TrialReport } from "./exec/program-trial.ts";
export { SecretValues } from "./secret-values.ts";
export { AwsProcess } from "./eks/aws/aws-process.ts";
export type { WorkloadRemoval } from "./eks/eks-deletion.ts";
export { openRoute53 } from "./route53/route53-writer.ts";
export { EksProvider } from "./eks/eks-provider.ts";
export type { AwsApi } from "./eks/aws/aws-api.ts";
export { hourlyCostSoFar } from "./eks/cost.ts";
export { removeCloudObjects } from "./eks/remove-workloads.ts";
export { refusalOf } from "./eks/eks-failure.ts";
