export {
  customResourceDefinition,
  type CustomResourceDefinition,
  type CustomResourceOptions,
} from "./crd/custom-resource-definition.ts";
export type { PrinterColumn } from "./crd/printer-columns.ts";
export { toStructuralSchema, type StructuralSchema } from "./crd/structural-schema.ts";
export type { Column, ColumnFormat } from "./kind/column.ts";
export { defineKind, type KindDefinition } from "./kind/define-kind.ts";
export type { DerivedStatus } from "./kind/derived-status.ts";
export {
  matchesFields,
  parseFieldSelector,
  printFieldSelector,
  type FieldRequirement,
  type FilterableField,
} from "./select/field-selector.ts";
export { findKind, requireKind } from "./kinds/find-kind.ts";
export type { KeepsOne } from "./kind/keeps-one.ts";
export type { KindSchemas } from "./kind/kind-schemas.ts";
export type {
  ApiObject,
  DesiredObjectOf,
  Kind,
  ObjectOf,
  SpecOf,
  StatusOf,
  WriteBodyOf,
} from "./kind/kind.ts";
export type { Reference } from "./kind/reference.ts";
export { referencesOf, referrersOf, type FoundReference, type Referrer } from "./kinds/references.ts";
export { joinSecrets, splitSecrets, type Secrets, type SplitSpec } from "./kind/secrets.ts";
export { AccessGrant } from "./kinds/access-grant.ts";
export { Cluster } from "./kinds/cluster.ts";
export { Credential } from "./kinds/credential.ts";
export { kinds } from "./kinds/index.ts";
export { narrowerRole, roles, Whoami, type Role } from "./object/whoami.ts";
export { Token } from "./kinds/token.ts";
export { User } from "./kinds/user.ts";
export { WorkloadDefinition } from "./kinds/workload-definition.ts";
export { WorkloadInstance } from "./kinds/workload-instance.ts";
export { apiVersion, type ApiVersion } from "./object/api-version.ts";
export { Condition, conditionList } from "./object/condition.ts";
export { DeletionPlan } from "./object/deletion-plan.ts";
export { ErrorBody } from "./object/error-body.ts";
export { JoinToken, JoinTokenRequest, RevokedAgents } from "./object/join-token.ts";
export { ListMeta, maxCursorLength, pageLimits } from "./object/list-meta.ts";
export { Metadata, UserMetadata } from "./object/metadata.ts";
export { statusOf } from "./object/status.ts";
export { changeTypes, type WatchEvent } from "./object/watch-event.ts";
export { openApiDocument, type OpenApiDocument, type OpenApiOptions } from "./openapi/open-api-document.ts";
export { entityTagsRule, maxIdempotencyKeyLength } from "./openapi/parameters.ts";
export { mergePatch } from "./patch/merge-patch.ts";
export { parseFieldPath, valuesAt, type FieldPath, type PathStep } from "./path/field-path.ts";
export { AuditRecord } from "./records/audit-record.ts";
export { proxiedObject } from "./records/proxied-object.ts";
export type { ProxiedRequest } from "./records/proxied-request.ts";
export { EventRecord } from "./records/event-record.ts";
export { AuditFilters, EventFilters } from "./records/record-filters.ts";
export { recordList } from "./records/record-list.ts";
export { fieldsOf, type FieldDescription } from "./reference/fields-of.ts";
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
  type TextOptions,
} from "./schema/build.ts";
export type { JsonSchema } from "./schema/json-schema.ts";
export type { StaticInput } from "./schema/static-input.ts";
export {
  dnsLabel,
  identifier,
  kubernetesVersion,
  labelValue,
  qualifiedName,
  singleLine,
  uuid,
  type TextRule,
} from "./schema/text-rule.ts";
export { labelRequirementsOf, matchesLabels, type LabelRequirement } from "./select/label-requirement.ts";
export { LabelSelector } from "./select/label-selector-schema.ts";
export { maxSelectorLength, parseLabelSelector, printLabelSelector } from "./select/parse-label-selector.ts";
export { formatAge } from "./table/format-age.ts";
export { columnsOf, rowOf, type TableOptions } from "./table/table.ts";
export { checkDepth, type DepthLimits } from "./validate/check-depth.ts";
export { invalidError, maxProblems, type Problem } from "./validate/problem.ts";
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
export { closest } from "./validate/closest.ts";
export { invalidError, maxProblems, type Problem } from "./validate/problem.ts";
export { createValidator, type Validated } from "./validate/validator.ts";
