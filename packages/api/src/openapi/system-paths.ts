import { AgentSessionFilters } from "../bodies/agent-session.ts";
import { AuditFilters } from "../bodies/audit-record.ts";
import { EventFilters } from "../bodies/event-record.ts";
import { DiffRequest } from "../bodies/workload-diff.ts";
import { RevisionContentFilters, RevisionFilters } from "../bodies/workload-revision.ts";
import { TreeFilters } from "../bodies/workload-tree.ts";
import { revisionId } from "../schema/text-rule.ts";
import {
  errorReferences,
  jsonAnswer,
  openErrorReferences,
  textAnswer,
  writeErrorReferences,
} from "./answers.ts";
import { expandedSchema } from "./components.ts";
import { filterParameters, parameters, resourceVersion } from "./parameters.ts";

/** The addresses that belong to no kind. */
export function systemPaths(): Record<string, object> {
  return {
    "/api/v1/audit": { get: auditOperation() },
    "/api/v1/backup": { post: backupOperation() },
    "/api/v1/diagnosis": {
      get: {
        operationId: "diagnose",
        summary: "Say what the server knows of itself",
        description:
          "For admins: what `bowline doctor` looks at. The clock, certificate, disk and database of the replica that answers, the keys it has and needs, its settings without secrets, and what agents report that nobody has placed.",
        tags: ["Server"],
        responses: { "200": jsonAnswer("What it knows.", "Diagnosis"), ...errorReferences() },
      },
    },
    "/api/v1/events": { get: eventsOperation() },
    "/api/v1/stream": {
      get: {
        operationId: "stream",
        summary: "Make many requests over one WebSocket",
        description:
          "For browsers, which open few connections to one server. Each subscription is a GET below /api/v1/ or /clusters/, answered as if it were made alone; docs/reference/stream.md has the messages. Without an upgrade to WebSocket it is a bad request.",
        tags: ["Server"],
        responses: { "101": { description: "The connection is a WebSocket." }, ...errorReferences() },
      },
    },
    "/api/v1/login": {
      post: {
        operationId: "login",
        summary: "Sign in",
        description:
          "Checks the token and notes the time. Nothing is issued: each request shows the token again.",
        tags: ["Server"],
        responses: { "200": jsonAnswer("Who you are.", "Whoami"), ...writeErrorReferences() },
      },
    },
    "/api/v1/whoami": {
      get: {
        operationId: "whoami",
        summary: "Say who makes the request",
        tags: ["Server"],
        responses: { "200": jsonAnswer("Who you are.", "Whoami"), ...errorReferences() },
      },
    },
    "/api/v1/tokens/{name}/revoke": {
      parameters: parameters("Name"),
      post: {
        operationId: "revokeToken",
        summary: "Revoke a Token",
        description:
          "It stops working at once, and stays to be read with the time in status.revokedAt; a delete takes it away altogether. One that was revoked already stays as it is.",
        tags: ["Token"],
        responses: { "200": jsonAnswer("Revoked.", "Token", ["ETag"]), ...writeErrorReferences("404") },
      },
    },
    "/livez": {
      get: {
        ...open("livez", "Whether the process lives", textAnswer("It does.")),
        parameters: [verbose],
      },
    },
    "/healthz": {
      get: {
        ...open("healthz", "The same as /livez", textAnswer("It does.")),
        parameters: [verbose],
      },
    },
    "/readyz": {
      get: {
        ...open("readyz", "Whether requests can be served", textAnswer("They can.")),
        parameters: [verbose],
        responses: {
          "200": textAnswer("They can."),
          ...openErrorReferences(),
          "503": textAnswer("They cannot; one line for each reason."),
        },
      },
    },
    "/metrics": {
      get: {
        operationId: "metrics",
        summary: "Metrics in the text format of Prometheus",
        description: "Needs a token of any role, unless the server is told to show them to everybody.",
        tags: ["Server"],
        responses: { "200": textAnswer("The metrics."), ...errorReferences() },
      },
    },
    "/version": { get: open("version", "The version of the server", jsonAnswer("The version.", "Version")) },
    "/openapi.json": {
      get: open("openapi", "This document", {
        description: "This document.",
        content: { "application/json": { schema: { type: "object" } } },
      }),
    },
  };
}

const verbose = {
  name: "verbose",
  in: "query",
  description: "One line for each check, also when all is well.",
  schema: { type: "boolean", default: false },
};

/** Needs no token. */
function open(operationId: string, summary: string, answer: object): object {
  return {
    operationId,
    summary,
    tags: ["Server"],
    security: [],
    responses: { "200": answer, ...openErrorReferences() },
  };
}

function auditOperation(): object {
  return {
    operationId: "listAudit",
    summary: "List what was done, newest first",
    description: "All of it for admins; others see what they did themselves.",
    tags: ["Server"],
    parameters: [...parameters("Limit", "Cursor"), ...filterParameters(AuditFilters)],
    responses: { "200": jsonAnswer("A page.", "AuditRecordList"), ...errorReferences() },
  };
}

function backupOperation(): object {
  return {
    operationId: "backup",
    summary: "Make a backup of the whole database",
    description:
      "For admins. The database as it is at this moment, compressed, and made while it is read; what is encrypted stays so, and the keys are not in it. Only a whole backup has a trailer: docs/reference/backup.md tells what it looks like.",
    tags: ["Server"],
    parameters: [
      {
        name: "noHistory",
        in: "query",
        description: "Leave out the audit log and the events.",
        schema: { type: "boolean", default: false },
      },
    ],
    responses: {
      "200": {
        description: "The backup.",
        headers: { "X-Request-Id": { $ref: "#/components/headers/RequestId" } },
        content: { "application/gzip": { schema: { type: "string", format: "binary" } } },
      },
      ...writeErrorReferences("412"),
    },
  };
}

function eventsOperation(): object {
  return {
    operationId: "listEvents",
    summary: "List what happened to objects, newest first, or watch it",
    tags: ["Server"],
    parameters: [
      ...parameters("Limit", "Cursor", "Watch"),
      {
        name: "resourceVersion",
        in: "query",
        description: "With watch: send what happened since then; without it, what happens from now on.",
        schema: resourceVersion,
      },
      ...parameters("LastEventId"),
      ...filterParameters(EventFilters),
    ],
    responses: {
      "200": {
        description: "A page; with watch, a stream of events, each with the resourceVersion as its id.",
        headers: { "X-Request-Id": { $ref: "#/components/headers/RequestId" } },
        content: {
          "application/json": { schema: { $ref: "#/components/schemas/EventRecordList" } },
          "text/event-stream": { schema: { $ref: "#/components/schemas/EventRecordWatchEvent" } },
        },
      },
      ...errorReferences("410"),
    },
  };
}

/** Operations on the agents of a Cluster, beyond reading and writing it. */
export function clusterPaths(): Record<string, object> {
  return {
    "/api/v1/clusters/{name}/access": {
      parameters: parameters("Name"),
      get: {
        operationId: "getClusterAccess",
        summary: "Say how the asker may reach a Cluster",
        description:
          "The AccessGrants that count for whoever asks, and as which Kubernetes user and groups they let in; what those may do there, the roles of the cluster decide.",
        tags: ["Cluster"],
        responses: { "200": jsonAnswer("How.", "ClusterAccess"), ...errorReferences("404") },
      },
    },
    "/api/v1/agent-sessions": {
      get: {
        operationId: "listAgentSessions",
        summary: "List the connections of agents, with round trips and what goes through them",
        description:
          "Those of all replicas. Numbers are known of those that the replica holds which answers. At most 1,000, by the names of their Clusters.",
        tags: ["Cluster"],
        parameters: filterParameters(AgentSessionFilters),
        responses: { "200": jsonAnswer("The sessions.", "AgentSessionList"), ...errorReferences("404") },
      },
    },
    "/api/v1/plan-cluster": {
      post: {
        operationId: "planCluster",
        summary: "Ask what would be made for a Cluster, and what it costs",
        description:
          "Takes what `POST /api/v1/clusters` takes, and the right to do that. Nothing is made or stored.",
        tags: ["Cluster"],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/ClusterWrite" } } },
        },
        responses: { "200": jsonAnswer("The plan.", "ClusterPlan"), ...writeErrorReferences("409", "422") },
      },
    },
    "/api/v1/clusters/{name}/join-tokens": {
      parameters: parameters("Name"),
      post: {
        operationId: "createJoinToken",
        summary: "Make what an agent joins a Cluster with",
        description:
          "The answer shows it once. The agent that joins with it replaces the one that joined before; it must run in the same Kubernetes cluster. With `manifest` in the body the answer also has the YAML that runs such an agent.",
        tags: ["Cluster"],
        requestBody: {
          required: false,
          content: { "application/json": { schema: { $ref: "#/components/schemas/JoinTokenRequest" } } },
        },
        responses: {
          "201": jsonAnswer("Made.", "JoinToken"),
          ...writeErrorReferences("404", "409", "422"),
        },
      },
    },
    "/api/v1/clusters/{name}/revoke-agents": {
      parameters: parameters("Name"),
      post: {
        operationId: "revokeAgents",
        summary: "Revoke the agents of a Cluster",
        description:
          "Their keys and all unused join tokens stop working at once, and their connections are closed. An agent needs a new join token to come back, and may then run in another Kubernetes cluster.",
        tags: ["Cluster"],
        responses: { "200": jsonAnswer("Revoked.", "RevokedAgents"), ...writeErrorReferences("404") },
      },
    },
  };
}

/** What a WorkloadDefinition said before, and says now. */
export function definitionPaths(): Record<string, object> {
  const id = {
    name: "id",
    in: "path",
    required: true,
    description: "The id of the revision.",
    schema: { type: "string", pattern: revisionId.pattern, maxLength: revisionId.maxLength },
  };
  return {
    "/api/v1/workloaddefinitions/{name}/resolve": {
      parameters: parameters("Name"),
      post: {
        operationId: "resolveWorkloadDefinition",
        summary: "Look at the source of a WorkloadDefinition now",
        description:
          "For one that comes from git, without waiting for its interval. The answer does not wait for the look; the condition UpToDate tells how it went.",
        tags: ["WorkloadDefinition"],
        responses: {
          "200": jsonAnswer("It will be looked at.", "WorkloadDefinition"),
          ...writeErrorReferences("404", "409"),
        },
      },
    },
    "/api/v1/configsources/{name}/resolve": {
      parameters: parameters("Name"),
      post: {
        operationId: "resolveConfigSource",
        summary: "Look at the repository of a ConfigSource now",
        description:
          "Without waiting for its interval. The answer does not wait for the look; the condition UpToDate tells how it went.",
        tags: ["ConfigSource"],
        responses: {
          "200": jsonAnswer("It will be looked at.", "ConfigSource"),
          ...writeErrorReferences("404"),
        },
      },
    },
    "/hooks/git/{id}": {
      parameters: [
        {
          name: "id",
          in: "path",
          required: true,
          description: "The id in status.source.webhook of a WorkloadDefinition or a ConfigSource.",
          schema: { type: "string", pattern: "^[0-9a-f]{32}$", maxLength: 32 },
        },
      ],
      post: {
        operationId: "tellPush",
        summary: "Tell of a push to a repository",
        description:
          "For the webhooks of GitHub, GitLab, Gitea, Forgejo, Gogs and Bitbucket, and for scripts. No token is needed: the delivery is signed with that of the Credential which the source names. What it says is believed no further than which repository and refs to look at.",
        tags: ["WorkloadDefinition"],
        security: [],
        requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
        responses: {
          "202": jsonAnswer("These are looked at.", "HookAnswer"),
          ...writeErrorReferences("401", "404", "409"),
        },
      },
    },
    "/api/v1/workloaddefinitions/{name}/revisions": {
      parameters: parameters("Name"),
      get: {
        operationId: "listWorkloadRevisions",
        summary: "List the contents that a WorkloadDefinition was resolved to, newest first",
        description:
          "The last ten are kept, and those that are still in a cluster. Each says in how many clusters it was applied last.",
        tags: ["WorkloadDefinition"],
        parameters: [...parameters("Limit", "Cursor"), ...filterParameters(RevisionFilters)],
        responses: { "200": jsonAnswer("A page.", "WorkloadRevisionList"), ...errorReferences("404") },
      },
    },
    "/api/v1/workloaddefinitions/{name}/revisions/{id}": {
      parameters: [...parameters("Name"), id],
      get: {
        operationId: "getWorkloadRevision",
        summary: "Get one of them with its manifests",
        description: "Whoever may read the WorkloadDefinition may read them; values of Secrets are masked.",
        tags: ["WorkloadDefinition"],
        parameters: filterParameters(RevisionContentFilters),
        responses: {
          "200": jsonAnswer("The revision.", "WorkloadRevisionContent"),
          ...errorReferences("404"),
        },
      },
    },
  };
}

/** Operations on a WorkloadInstance, beyond reading and writing it. */
export function instancePaths(): Record<string, object> {
  return {
    "/api/v1/workloadinstances/{name}/diff": { parameters: parameters("Name"), post: diffOperation() },
    "/api/v1/workloadinstances/{name}/tree": {
      parameters: parameters("Name"),
      get: {
        operationId: "getWorkloadTree",
        summary: "Get the objects of a WorkloadInstance as they are in its clusters",
        description:
          "Each object with its health and what happened to it last, before those that it owns. Of many clusters the first 50 are told, by name.",
        tags: ["WorkloadInstance"],
        parameters: filterParameters(TreeFilters),
        responses: { "200": jsonAnswer("The tree.", "WorkloadTree"), ...errorReferences("404") },
      },
    },
  };
}

function diffOperation(): object {
  const { properties, ...request } = DiffRequest;
  const { cluster, definition, instance } = properties;
  const schema = {
    ...expandedSchema({ ...request }, new Map()),
    properties: {
      cluster: expandedSchema(cluster, new Map()),
      definition: {
        $ref: "#/components/schemas/WorkloadDefinitionWrite",
        description: definition.description,
      },
      instance: { $ref: "#/components/schemas/WorkloadInstanceWrite", description: instance.description },
    },
  };
  return {
    operationId: "diffWorkload",
    summary: "Say what would become of a WorkloadInstance in one of its clusters",
    description:
      "By dry runs in the cluster, made as whoever asks, with their AccessGrants; nothing is written anywhere. With a definition and an instance in the body: what would become of it if they were written first, also before there is one of that name. A cluster that the instance is not placed in would lose what it has of it.",
    tags: ["WorkloadInstance"],
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses: {
      "200": jsonAnswer("The differences.", "WorkloadDiff"),
      ...writeErrorReferences("404", "409", "422", "502", "504"),
    },
  };
}
