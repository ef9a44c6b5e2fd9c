import { text } from "node:stream/consumers";

import { Cluster, Session, Token, WorkloadDefinition, WorkloadInstance, type Kind } from "@bowline/api";
import { BowlineError, systemClock } from "@bowline/core";

import { defaultLimits, type ClientOptions } from "./client-options.ts";
import type { Applied, Client, ClusterApi, ListQuery, ObjectList, RequestOptions } from "./client.ts";
import type { ApiRequest } from "./http/connection.ts";
import { Connection } from "./http/connection.ts";
import {
  readAgentSessions,
  readClusterPlan,
  readCommandCredential,
  readConsoleInfo,
  readDeletionSteps,
  readDiagnosis,
  readDiff,
  readGraphAnswer,
  readJoinToken,
  readObject,
  readObjectList,
  readRecordList,
  readRevision,
  readRevokedAgents,
  readSignInCode,
  readTree,
  readVersion,
  readWhoami,
} from "./read-answer.ts";
import { Requester, type JsonAnswer } from "./requester.ts";

/** A client of one server; whoever makes it closes it. `InvalidArgument` when an option cannot be right. */
export function createClient(options: ClientOptions): Client {
  const requester = createRequester(options);
  return {
    server: requester.server,
    ...objectMethods(requester),
    ...recordMethods(requester),
    ...agentMethods(requester),
    async tree(instance, { cluster } = {}, { signal } = {}) {
      const path = addresses.tree(instance);
      const subject = `the tree of the WorkloadInstance ${instance}`;
      return readTree(await requester.json({ method: "GET", path, query: { cluster }, subject, signal }));
    },
    async diff(instance, body, { signal } = {}) {
      const path = addresses.diff(instance);
      const subject = `what would become of the WorkloadInstance ${instance}`;
      return readDiff(await requester.json({ method: "POST", path, body, subject, signal }));
    },
    async resolveSource(kind, name, { signal } = {}) {
      const path = `${addresses.object(kind, name)}/resolve`;
      const subject = `the ${kind.kind} ${name}`;
      return readObject(kind, await requester.json({ method: "POST", path, subject, signal }));
    },
    async listRevisions(definition, query = {}, { signal } = {}) {
      const path = addresses.revisions(definition);
      const subject = `the revisions of the WorkloadDefinition ${definition}`;
      const request = { method: "GET", path, query: { ...query }, subject, signal } as const;
      return readRecordList("revisions", await requester.json(request));
    },
    async getRevision(definition, id, { signal } = {}) {
      const path = `${addresses.revisions(definition)}/${encodeURIComponent(id)}`;
      const subject = `a revision of the WorkloadDefinition ${definition}`;
      return readRevision(await requester.json({ method: "GET", path, subject, signal }));
    },
    async askGraph(question, query, { signal } = {}) {
      const path = addresses.question(question);
      return readGraphAnswer(
        await requester.json({ method: "GET", path, query: { ...query }, subject: "an answer", signal }),
      );
    },
    async exportGraph(query, { signal } = {}) {
      const request = { method: "GET", path: addresses.question("export"), query, signal } as const;
      const headers = { accept: "*/*" };
      return (await requester.open({ ...request, headers, subject: "the graph of a cluster" })).body;
    },
    async backup(query = {}, { signal } = {}) {
      const request = { method: "POST", path: addresses.backup, query: { ...query }, signal } as const;
      const headers = { accept: "application/gzip, application/json" };
      return (await requester.open({ ...request, headers, subject: "a backup" })).body;
    },
    async diagnose({ signal } = {}) {
      const request = { method: "GET", path: addresses.diagnosis, signal } as const;
      return readDiagnosis(await requester.json({ ...request, subject: "what it knows of itself" }));
    },
    async agentSessions({ signal } = {}) {
      const request = { method: "GET", path: addresses.agentSessions, signal } as const;
      return readAgentSessions(await requester.json({ ...request, subject: "the sessions of agents" }));
    },
    async metrics({ signal } = {}) {
      const request = { method: "GET", path: addresses.metrics, signal } as const;
      const { body } = await requester.open({
        ...request,
        headers: { accept: "text/plain" },
        subject: "metrics",
      });
      return text(body);
    },
    inCluster: (cluster) => clusterApi(requester, cluster),
    ...accessMethods(requester),
    close: () => requester.close(),
  };
}

function createRequester(options: ClientOptions): Requester {
  const { token, caPem, proxyUrl, signal, clock = systemClock, random = Math.random } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const connection = new Connection({
    server: options.server,
    token,
    caPem,
    proxyUrl,
    openStream: options.openStream,
    userAgent: options.userAgent ?? "bowline-client",
    limits,
    clock,
  });
  return new Requester({ connection, limits, clock, random, signal });
}

type ObjectMethods = Pick<
  Client,
  "list" | "listAll" | "get" | "create" | "apply" | "patch" | "delete" | "getStatus" | "putStatus" | "watch"
>;

function objectMethods(requester: Requester): ObjectMethods {
  const list = async <K extends Kind>(
    kind: K,
    query: ListQuery = {},
    { signal }: RequestOptions = {},
  ): Promise<ObjectList<K>> => {
    const request = { method: "GET", path: addresses.collection(kind), query: { ...query }, signal } as const;
    return readObjectList(kind, await requester.json({ ...request, subject: `a page of ${kind.plural}` }));
  };
  return {
    list,
    async *listAll(kind, query = {}, options = {}) {
      let cursor = query.cursor;
      do {
        const page = await list(kind, { ...query, cursor }, options);
        yield page;
        ({ cursor } = page.metadata);
      } while (cursor !== undefined);
    },
    async get(kind, name, { signal } = {}) {
      return readObject(kind, await requester.json({ ...objectRequest(kind, name), method: "GET", signal }));
    },
    async create(kind, body, { dryRun, idempotencyKey, signal } = {}) {
      const answer = await requester.json({
        method: "POST",
        path: addresses.collection(kind),
        query: { dryRun },
        headers: { "idempotency-key": idempotencyKey },
        body,
        subject: `a new ${kind.kind}`,
        signal,
      });
      return readObject(kind, answer);
    },
    async apply(kind, name, body, { dryRun, override, ifMatch, ifNoneMatch, signal } = {}) {
      const answer = await requester.send({
        ...objectRequest(kind, name),
        method: "PUT",
        query: { dryRun, override },
        headers: { "if-match": etag(ifMatch), "if-none-match": ifNoneMatch },
        body,
        signal,
      });
      return { outcome: appliedOutcome(answer), object: readObject(kind, answer.value) };
    },
    async patch(kind, name, patch, { dryRun, override, ifMatch, signal } = {}) {
      const answer = await requester.json({
        ...objectRequest(kind, name),
        method: "PATCH",
        query: { dryRun, override },
        headers: { "content-type": "application/merge-patch+json", "if-match": etag(ifMatch) },
        body: patch,
        signal,
      });
      return readObject(kind, answer);
    },
    async delete(kind, name, { dryRun, cascade, override, ifMatch, signal } = {}) {
      const { status, value } = await requester.send({
        ...objectRequest(kind, name),
        method: "DELETE",
        query: { dryRun, cascade, override },
        headers: { "if-match": etag(ifMatch) },
        signal,
      });
      if (dryRun === true && cascade === true) return { outcome: "planned", steps: readDeletionSteps(value) };
      return { outcome: status === 202 ? "deleting" : "deleted", object: readObject(kind, value) };
    },
    async getStatus(kind, name, { signal } = {}) {
      return readObject(kind, await requester.json({ ...statusRequest(kind, name), method: "GET", signal }));
    },
    async putStatus(kind, name, status, { dryRun, ifMatch, signal } = {}) {
      const answer = await requester.json({
        ...statusRequest(kind, name),
        method: "PUT",
        query: { dryRun },
        headers: { "if-match": etag(ifMatch) },
        body: { status },
        signal,
      });
      return readObject(kind, answer);
    },
    watch: (kind, query = {}, options = {}) =>
      requester.watch(
        { path: addresses.collection(kind), query: { ...query }, subject: `a watch of ${kind.plural}` },
        options,
      ),
  };
}

function recordMethods(requester: Requester): Pick<Client, "listEvents" | "watchEvents" | "listAudit"> {
  const list = (path: string, query: object, { signal }: RequestOptions): Promise<unknown> =>
    requester.json({ method: "GET", path, query: { ...query }, subject: "a page of records", signal });
  return {
    async listEvents(query = {}, options = {}) {
      return readRecordList("events", await list(addresses.events, query, options));
    },
    watchEvents: (query = {}, options = {}) =>
      requester.watch({ path: addresses.events, query: { ...query }, subject: "a watch of events" }, options),
    async listAudit(query = {}, options = {}) {
      return readRecordList("audit records", await list(addresses.audit, query, options));
    },
  };
}

function agentMethods(
  requester: Requester,
): Pick<Client, "planCluster" | "createJoinToken" | "revokeAgents"> {
  return {
    async planCluster(body, { signal } = {}) {
      const request = { method: "POST", path: addresses.planCluster, body, signal } as const;
      return readClusterPlan(await requester.json({ ...request, subject: "what would be made" }));
    },
    async createJoinToken(cluster, { expiresInSeconds, signal } = {}) {
      const answer = await requester.json({
        method: "POST",
        path: addresses.joinTokens(cluster),
        ...(expiresInSeconds === undefined ? {} : { body: { expiresInSeconds } }),
        subject: `a join token for the Cluster ${cluster}`,
        signal,
      });
      return readJoinToken(answer);
    },
    async revokeAgents(cluster, { signal } = {}) {
      const path = addresses.revokeAgents(cluster);
      const subject = `the agents of the Cluster ${cluster}`;
      return readRevokedAgents(await requester.json({ method: "POST", path, subject, signal }));
    },
  };
}

function clusterApi(requester: Requester, cluster: string): ClusterApi {
  const base = addresses.inCluster(cluster);
  const subject = `an answer of the cluster ${cluster}`;
  return {
    get: (path, { signal } = {}) => requester.json({ method: "GET", path: base + path, subject, signal }),
    async stream(path, { signal } = {}) {
      const request = { method: "GET", path: base + path, subject, signal } as const;
      return (await requester.open({ ...request, headers: { accept: "*/*" }, isEndless: true })).body;
    },
    connect: (path, { protocols, signal }) =>
      requester.connect({ method: "GET", path: base + path, subject, signal }, protocols),
  };
}

function accessMethods(
  requester: Requester,
): Pick<
  Client,
  "revokeToken" | "login" | "whoami" | "createSignInCode" | "redeemSignInCode" | "consoleInfo" | "version"
> {
  return {
    async revokeToken(name, { signal } = {}) {
      const path = `${addresses.object(Token, name)}/revoke`;
      return readObject(
        Token,
        await requester.json({ method: "POST", path, subject: `the token ${name}`, signal }),
      );
    },
    async login({ signal } = {}) {
      const path = addresses.login;
      return readWhoami(await requester.json({ method: "POST", path, subject: "a login", signal }));
    },
    async whoami({ signal } = {}) {
      const path = addresses.whoami;
      return readWhoami(await requester.json({ method: "GET", path, subject: "who is signed in", signal }));
    },
    async createSignInCode({ signal } = {}) {
      const path = `${addresses.collection(Session)}/codes`;
      const request = { method: "POST", path, subject: "a code to sign in with", signal } as const;
      return readSignInCode(await requester.json(request));
    },
    async redeemSignInCode(body, { signal } = {}) {
      const path = `${addresses.collection(Session)}/redeem`;
      const request = { method: "POST", path, body, subject: "a sign-in", signal } as const;
      return readCommandCredential(await requester.json(request));
    },
    async consoleInfo({ signal } = {}) {
      const path = addresses.console;
      return readConsoleInfo(await requester.json({ method: "GET", path, subject: "the console", signal }));
    },
    async version({ signal } = {}) {
      const path = addresses.version;
      return readVersion(await requester.json({ method: "GET", path, subject: "its version", signal }));
    },
  };
}

function objectRequest(kind: Kind, name: string): Pick<ApiRequest, "path" | "subject"> {
  return { path: addresses.object(kind, name), subject: `the ${kind.kind} ${name}` };
}

function statusRequest(kind: Kind, name: string): Pick<ApiRequest, "path" | "subject"> {
  return { path: addresses.status(kind, name), subject: `the status of the ${kind.kind} ${name}` };
}

/** As HTTP wants it, in quotes. */
function etag(resourceVersion: string | undefined): string | undefined {
  return resourceVersion === undefined ? undefined : `"${resourceVersion}"`;
}

function appliedOutcome({ status, headers }: JsonAnswer): Applied<Kind>["outcome"] {
  if (status === 201) return "created";
  return headers["bowline-outcome"] === "unchanged" ? "unchanged" : "updated";
}

const base = "/api/v1";

/** Where things are, as `docs/reference/openapi.json` has it. */
const addresses = {
  collection: (kind: Kind): string => `${base}/${kind.plural}`,
  object: (kind: Kind, name: string): string => `${base}/${kind.plural}/${segment(kind, name)}`,
  status: (kind: Kind, name: string): string => `${addresses.object(kind, name)}/status`,
  joinTokens: (cluster: string): string => `${addresses.object(Cluster, cluster)}/join-tokens`,
  revokeAgents: (cluster: string): string => `${addresses.object(Cluster, cluster)}/revoke-agents`,
  inCluster: (cluster: string): string => `/clusters/${segment(Cluster, cluster)}`,
  tree: (instance: string): string => `${addresses.object(WorkloadInstance, instance)}/tree`,
  revisions: (definition: string): string => `${addresses.object(WorkloadDefinition, definition)}/revisions`,
  diff: (instance: string): string => `${addresses.object(WorkloadInstance, instance)}/diff`,
  question: (question: string): string => `${base}/graph/${encodeURIComponent(question)}`,
  planCluster: `${base}/plan-cluster`,
  events: `${base}/events`,
  agentSessions: `${base}/agent-sessions`,
  audit: `${base}/audit`,
  backup: `${base}/backup`,
  diagnosis: `${base}/diagnosis`,
  console: `${base}/console`,
  login: `${base}/login`,
  whoami: `${base}/whoami`,
  metrics: "/metrics",
  version: "/version",
} as const;

/** No name may lead to another address than that of its object. */
function segment(kind: Kind, name: string): string {
  if (name !== "" && !/^\.{1,2}$/.test(name)) return encodeURIComponent(name);
  throw new BowlineError("InvalidArgument", `"${name}" cannot be the name of a ${kind.kind}.`);
}
