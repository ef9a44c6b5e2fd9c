import type { Kind } from "../kind/kind.ts";
import { kinds as allKinds } from "../kinds/kinds.ts";
import { Condition } from "../bodies/status.ts";
import { DeletionPlan, ErrorBody } from "../bodies/error-body.ts";
import { ClusterPlan } from "../bodies/cluster-plan.ts";
import { JoinToken, JoinTokenRequest, RevokedAgents } from "../bodies/join-token.ts";
import { ListMeta, recordList, RecordListMeta } from "../bodies/list.ts";
import { Metadata } from "../bodies/metadata.ts";
import {
  CodeRedemption,
  CommandCredential,
  ConsoleInfo,
  SignInCode,
  SignInCodeRequest,
  SignInRequest,
} from "../bodies/sign-in.ts";
import { Whoami } from "../bodies/whoami.ts";
import { AgentSession, AgentSessionList } from "../bodies/agent-session.ts";
import { AuditRecord } from "../bodies/audit-record.ts";
import { ClusterAccess } from "../bodies/cluster-access.ts";
import { Diagnosis } from "../bodies/diagnosis.ts";
import { EventRecord } from "../bodies/event-record.ts";
import { HookAnswer } from "../bodies/hook-answer.ts";
import { WorkloadDiff } from "../bodies/workload-diff.ts";
import { ClusterView, ClusterViewList } from "../bodies/cluster-view.ts";
import { ReportChange } from "../bodies/report-change.ts";
import { CoverageGap, GraphEdge, GraphNode } from "../bodies/graph-answer.ts";
import { HeldRule } from "../bodies/rights-data.ts";
import { graphQuestions } from "../bodies/graph-questions.ts";
import {
  WorkloadRevision,
  WorkloadRevisionContent,
  WorkloadRevisionList,
} from "../bodies/workload-revision.ts";
import { WorkloadTree } from "../bodies/workload-tree.ts";
import { line, object } from "../schema/build.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { singleLine } from "../schema/text-rule.ts";
import { errorComponents } from "./answers.ts";
import { expandedSchema, kindComponents, watchEventSchema } from "./components.ts";
import { graphPaths } from "./graph-paths.ts";
import { kindPaths } from "./kind-paths.ts";
import { headerComponents, parameterComponents } from "./parameters.ts";
import { clusterPaths, definitionPaths, instancePaths, systemPaths } from "./system-paths.ts";
import { sessionPaths } from "./session-paths.ts";

export interface OpenApiOptions {
  /** The version of Bowline that serves the document. */
  readonly version: string;
  readonly kinds?: readonly Kind[];
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: object;
  readonly security: readonly object[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, object>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

const Version = object("The version of the server.", {
  version: line("The version of Bowline.", singleLine, 64),
});

/** The REST API as OpenAPI 3.1, from the kinds and nothing else. */
export function openApiDocument(options: OpenApiOptions): OpenApiDocument {
  const { version, kinds = allKinds } = options;
  const shared = sharedSchemas(kinds);
  return {
    openapi: "3.1.1",
    info: {
      title: "Bowline",
      version,
      description: "One control plane for all your clusters. Every kind of object has the same operations.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    security: [{ bearer: [] }],
    tags: [
      ...kinds.map((kind) => ({ name: kind.kind, description: kind.description })),
      { name: "Server", description: "What belongs to no kind." },
      { name: "Graph", description: "Questions about the objects of clusters." },
    ],
    paths: mergedPaths([
      ...kinds.map(kindPaths),
      sessionPaths(),
      clusterPaths(),
      definitionPaths(),
      instancePaths(),
      graphPaths(),
      systemPaths(),
    ]),
    components: {
      schemas: {
        ...Object.assign({}, ...kinds.map((kind) => kindComponents(kind, shared))),
        EventRecordWatchEvent: watchEventSchema("EventRecord"),
        ClusterViewWatchEvent: watchEventSchema("ClusterView"),
        ReportChangeWatchEvent: watchEventSchema("ReportChange"),
        ...Object.fromEntries(
          [...namedSchemas].map(([schema, name]) => [name, expandedSchema(schema, shared)]),
        ),
      },
      parameters: parameterComponents,
      headers: headerComponents,
      responses: errorComponents(),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "A token of Bowline, or a JWT of the OIDC issuer that the server trusts.",
        },
      },
    },
  };
}

const namedSchemas: ReadonlyMap<JsonSchema, string> = new Map<JsonSchema, string>([
  [Metadata, "Metadata"],
  [Condition, "Condition"],
  [ListMeta, "ListMeta"],
  [RecordListMeta, "RecordListMeta"],
  [DeletionPlan, "DeletionPlan"],
  [ErrorBody, "Error"],
  [Version, "Version"],
  [Whoami, "Whoami"],
  [SignInRequest, "SignInRequest"],
  [SignInCode, "SignInCode"],
  [SignInCodeRequest, "SignInCodeRequest"],
  [CodeRedemption, "CodeRedemption"],
  [CommandCredential, "CommandCredential"],
  [ConsoleInfo, "ConsoleInfo"],
  [ClusterPlan, "ClusterPlan"],
  [JoinTokenRequest, "JoinTokenRequest"],
  [JoinToken, "JoinToken"],
  [RevokedAgents, "RevokedAgents"],
  [ClusterAccess, "ClusterAccess"],
  [AgentSession, "AgentSession"],
  [AgentSessionList, "AgentSessionList"],
  [AuditRecord, "AuditRecord"],
  [EventRecord, "EventRecord"],
  [Diagnosis, "Diagnosis"],
  [WorkloadTree, "WorkloadTree"],
  [GraphNode, "GraphNode"],
  [GraphEdge, "GraphEdge"],
  [CoverageGap, "CoverageGap"],
  [HeldRule, "HeldRule"],
  ...Object.values(graphQuestions).map(({ schemaName, answer }): [JsonSchema, string] => [
    answer,
    `${schemaName}Answer`,
  ]),
  [ClusterView, "ClusterView"],
  [ReportChange, "ReportChange"],
  [ClusterViewList, "ClusterViewList"],
  [HookAnswer, "HookAnswer"],
  [WorkloadDiff, "WorkloadDiff"],
  [WorkloadRevision, "WorkloadRevision"],
  [WorkloadRevisionContent, "WorkloadRevisionContent"],
  [WorkloadRevisionList, "WorkloadRevisionList"],
  [recordList("A page of audit records.", AuditRecord), "AuditRecordList"],
  [recordList("A page of events.", EventRecord), "EventRecordList"],
]);

/** An address may have operations from several places. */
function mergedPaths(parts: readonly Readonly<Record<string, object>>[]): Record<string, object> {
  const merged: Record<string, object> = {};
  for (const part of parts) {
    for (const [path, item] of Object.entries(part)) merged[path] = { ...merged[path], ...item };
  }
  return merged;
}

function sharedSchemas(kinds: readonly Kind[]): ReadonlyMap<JsonSchema, string> {
  return new Map([...namedSchemas, ...kinds.map((kind) => [kind.schemas.read, kind.kind] as const)]);
}
