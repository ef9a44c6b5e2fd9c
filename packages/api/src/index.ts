export { Diagnosis } from "./bodies/diagnosis.ts";
export {
  backupKind,
  AuditFilters,
  AuditRecord,
  proxiedObject,
  type ProxyDetails,
} from "./bodies/audit-record.ts";
export { auditColumns, auditRow, wideAuditColumns, type AuditColumn } from "./bodies/audit-row.ts";
export { AgentSession, AgentSessionFilters, AgentSessionList } from "./bodies/agent-session.ts";
export { ClusterAccess } from "./bodies/cluster-access.ts";
export { DeletionPlan, ErrorBody } from "./bodies/error-body.ts";
export { EventFilters, EventRecord } from "./bodies/event-record.ts";
export { diffLimits, DiffRequest, WorkloadDiff, type ObjectDiff } from "./bodies/workload-diff.ts";
export { ReportChange, ReportFilters } from "./bodies/report-change.ts";
export { ClusterView, ClusterViewList, ViewFilters } from "./bodies/cluster-view.ts";
export { graphLimits, type GraphAnswer } from "./bodies/graph-answer.ts";
export { ExportFilters, type GraphExportFormat } from "./bodies/graph-filters.ts";
export {
  graphQuestions,
  questionFilters,
  type WatchedQuestion,
  type GraphData,
  type GraphFilters,
  type GraphQuestionName,
} from "./bodies/graph-questions.ts";
export {
  treeLimits,
  TreeFilters,
  WorkloadTree,
  type ClusterTree,
  type TreeResource,
} from "./bodies/workload-tree.ts";
export {
  RevisionContentFilters,
  RevisionFilters,
  WorkloadRevision,
  WorkloadRevisionContent,
  WorkloadRevisionList,
} from "./bodies/workload-revision.ts";
export { ClusterPlan } from "./bodies/cluster-plan.ts";
export {
  agentRights,
  defaultAgentNamespace,
  defaultRights,
  imageName,
  JoinToken,
  JoinTokenRequest,
  RevokedAgents,
  type AgentRights,
} from "./bodies/join-token.ts";
export {
  changeTypes,
  ListMeta,
  maxCursorLength,
  pageLimits,
  recordList,
  type WatchEvent,
} from "./bodies/list.ts";
export { apiVersion, Metadata, UserMetadata, type ManagedBy } from "./bodies/metadata.ts";
export { matchCode } from "./bodies/match-code.ts";
export {
  CodeRedemption,
  CommandCredential,
  CommandRequest,
  ConsoleInfo,
  SignInCode,
  SignInCodeRequest,
  SignInRequest,
} from "./bodies/sign-in.ts";
export {
  StreamCredit,
  StreamEnd,
  StreamGet,
  streamHeaderBytes,
  streamInitialCredit,
  streamProtocol,
  type StreamAnswer,
} from "./bodies/stream-messages.ts";
export { Condition, statusOf } from "./bodies/status.ts";
export { narrowerRole, roles, Whoami, type Role } from "./bodies/whoami.ts";
export {
  customResourceDefinition,
  type CustomResourceDefinition,
  type CustomResourceOptions,
} from "./crd/custom-resource-definition.ts";
export { workloadConditions, workloadDefinition, workloadResource } from "./crd/workload-resource.ts";
/** @public The server writes them. */
export type { WorkloadResourceSpec, WorkloadResourceStatus } from "./crd/workload-resource.ts";
export type {
  ApiObject,
  Column,
  DesiredObjectOf,
  KeepsOne,
  Kind,
  ObjectOf,
  Reference,
  SpecOf,
  StatusOf,
  WriteBodyOf,
} from "./kind/kind.ts";
export { derivedName } from "./kind/derived-name.ts";
export { joinSecrets, splitSecrets, type Secrets } from "./kind/secrets.ts";
export {
  checkUpdate,
  initialStatus,
  validateStatus,
  validateWrite,
  type Refused,
} from "./kind/validate-write.ts";
export { AccessGrant } from "./kinds/access-grant.ts";
export { isGrantFor, isGrantIn, isGrantInForce } from "./kinds/grant-scope.ts";
export { maxAuthorGroups, type Author } from "./kinds/author.ts";
export { Cluster } from "./kinds/cluster.ts";
export {
  type ClusterApiSettings,
  type ClusterProvider,
  type EksSettings,
  type ExecSettings,
  type KindSettings,
} from "./kinds/cluster-providers.ts";
export { Credential } from "./kinds/credential.ts";
export { DomainName, domainNameLimits, domainNameOf, type DomainNameSpec } from "./kinds/domain-name.ts";
export { Gateway, type GatewaySpec } from "./kinds/gateway.ts";
export { isInDomain, plainPath } from "./kinds/host-rules.ts";
export { GraphQuestion, questionLimits } from "./kinds/graph-question.ts";
export { HookAnswer } from "./bodies/hook-answer.ts";
export { ConfigSource, configKinds } from "./kinds/config-source.ts";
export type { GitSource, SeenSource } from "./kinds/git-source.ts";
export { manifestProblems } from "./kinds/inline-source.ts";
export { findKind, kinds, referencesOf, referrersOf, requireKind, type Referrer } from "./kinds/kinds.ts";
export { maxUserAgentLength, Session } from "./kinds/session.ts";
export { Token } from "./kinds/token.ts";
export { User } from "./kinds/user.ts";
export { WorkloadDefinition } from "./kinds/workload-definition.ts";
export type { Rollout, RolloutStatus } from "./kinds/rollout.ts";
export {
  approveChange,
  followChange,
  isApproved,
  pauseChange,
  pinOf,
  resumeChange,
  revisionBefore,
  rollbackChange,
  signatureProblem,
  type SignedRevision,
} from "./kinds/instance-changes.ts";
export { waveOf } from "./kinds/waves.ts";
export { WorkloadInstance } from "./kinds/workload-instance.ts";
export { placementName, WorkloadPlacement } from "./kinds/workload-placement.ts";
export { openApiDocument, type OpenApiOptions } from "./openapi/open-api-document.ts";
export { entityTagsRule, maxIdempotencyKeyLength } from "./openapi/parameters.ts";
export {
  anything,
  choice,
  exactlyOneOf,
  flag,
  integer,
  intOrString,
  list,
  map,
  object,
  optional,
  text,
  withDefault,
  type StaticInput,
} from "./schema/build.ts";
export { parseFieldPath, valuesAt, type FieldPath, type PathStep } from "./schema/field-path.ts";
export { fillDefaults } from "./schema/fill-defaults.ts";
export { fieldsOf, type FieldDescription } from "./schema/fields-of.ts";
export type { JsonSchema } from "./schema/json-schema.ts";
export { dnsLabel, labelValue, qualifiedName, singleLine, uuid, type TextRule } from "./schema/text-rule.ts";
export {
  matchesFields,
  parseFieldSelector,
  printFieldSelector,
  type FieldRequirement,
  type FilterableField,
} from "./select/field-selector.ts";
export { LabelSelector, parseLabelSelector, printLabelSelector } from "./select/label-selector.ts";
export { columnsOf, formatAge, rowOf } from "./table.ts";
export { invalidError } from "./validate/report.ts";
export { checkDepth, createValidator, type Validated } from "./validate/validator.ts";
