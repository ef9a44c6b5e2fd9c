export { AuditFilters, AuditRecord, proxiedObject, type ProxyDetails } from "./bodies/audit-record.ts";
export { DeletionPlan, ErrorBody } from "./bodies/error-body.ts";
export { EventFilters, EventRecord } from "./bodies/event-record.ts";
export { JoinToken, JoinTokenRequest, RevokedAgents } from "./bodies/join-token.ts";
export {
  changeTypes,
  ListMeta,
  maxCursorLength,
  pageLimits,
  recordList,
  type WatchEvent,
} from "./bodies/list.ts";
export { apiVersion, Metadata, UserMetadata, type ApiVersion } from "./bodies/metadata.ts";
export { Condition, conditionList, statusOf } from "./bodies/status.ts";
export { narrowerRole, roles, Whoami, type Role } from "./bodies/whoami.ts";
export {
  customResourceDefinition,
  type CustomResourceDefinition,
  type CustomResourceOptions,
  type PrinterColumn,
} from "./crd/custom-resource-definition.ts";
export { toStructuralSchema, type StructuralSchema } from "./crd/structural-schema.ts";
export { defineKind, type KindDefinition } from "./kind/define-kind.ts";
export type { KindSchemas } from "./kind/kind-schemas.ts";
export type {
  ApiObject,
  Column,
  ColumnFormat,
  DerivedStatus,
  DesiredObjectOf,
  KeepsOne,
  Kind,
  ObjectOf,
  Reference,
  SpecOf,
  StatusOf,
  WriteBodyOf,
} from "./kind/kind.ts";
export { joinSecrets, splitSecrets, type Secrets, type SplitSpec } from "./kind/secrets.ts";
export {
  checkUpdate,
  initialStatus,
  validateStatus,
  validateWrite,
  type AcceptedStatus,
  type AcceptedWrite,
  type Refused,
  type ValidateWriteOptions,
} from "./kind/validate-write.ts";
export { AccessGrant } from "./kinds/access-grant.ts";
export { Cluster } from "./kinds/cluster.ts";
export { Credential } from "./kinds/credential.ts";
export {
  findKind,
  kinds,
  referencesOf,
  referrersOf,
  requireKind,
  type FoundReference,
  type Referrer,
} from "./kinds/kinds.ts";
export { Token } from "./kinds/token.ts";
export { User } from "./kinds/user.ts";
export { WorkloadDefinition } from "./kinds/workload-definition.ts";
export { WorkloadInstance } from "./kinds/workload-instance.ts";
export { mergePatch } from "./merge-patch.ts";
export { openApiDocument, type OpenApiDocument, type OpenApiOptions } from "./openapi/open-api-document.ts";
export { entityTagsRule, maxIdempotencyKeyLength } from "./openapi/parameters.ts";
export {
  anything,
  choice,
  dateTime,
  exactlyOneOf,
  flag,
  integer,
  intOrString,
  line,
  list,
  map,
  object,
  optional,
  secret,
  text,
  withDefault,
  type Defaulted,
  type ListOptions,
  type MapOptions,
  type StaticInput,
  type TextOptions,
} from "./schema/build.ts";
export { parseFieldPath, valuesAt, type FieldPath, type PathStep } from "./schema/field-path.ts";
export { fieldsOf, type FieldDescription } from "./schema/fields-of.ts";
export type { JsonSchema } from "./schema/json-schema.ts";
export {
  dnsLabel,
  duration,
  identifier,
  kubernetesVersion,
  labelValue,
  qualifiedName,
  singleLine,
  uuid,
  type TextRule,
} from "./schema/text-rule.ts";
export {
  matchesFields,
  parseFieldSelector,
  printFieldSelector,
  type FieldRequirement,
  type FilterableField,
} from "./select/field-selector.ts";
export {
  LabelSelector,
  maxSelectorLength,
  parseLabelSelector,
  printLabelSelector,
} from "./select/label-selector.ts";
export { columnsOf, formatAge, rowOf, type TableOptions } from "./table.ts";
export { invalidError, maxProblems, type Problem } from "./validate/report.ts";
export { checkDepth, createValidator, type DepthLimits, type Validated } from "./validate/validator.ts";
