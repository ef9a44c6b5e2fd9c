import {
  Cluster,
  createValidator,
  DiffRequest,
  invalidError,
  validateWrite,
  WorkloadDefinition,
  WorkloadInstance,
  type DesiredObjectOf,
  type Kind,
  type WorkloadDiff,
} from "@bowline/api";
import type { Access, Identity } from "@bowline/auth";
import { BowlineError, Gate, LinkedAbortController, withDeadline, type Clock } from "@bowline/core";
import { offlineError } from "@bowline/gateway";
import { notFound, type Store } from "@bowline/store";
import type { FastifyReply, FastifyRequest } from "fastify";

import type { ApiPlugin } from "../api/http-api.ts";
import { requireName, type ObjectRequest } from "../api/object-api.ts";
import { identityOf } from "../http/admission.ts";
import { jsonType, requireBody } from "../http/json-body.ts";
import { readQuery } from "../http/query.ts";
import { withoutGrant } from "../proxy/admission/admit-request.ts";
import { isFromGit, type SourceResolver } from "../sources/resolve-source.ts";
import type { ClusterClients } from "../workloads/cluster-clients.ts";
import { diffInstance, type DiffSubject } from "../workloads/diff-instance.ts";

export interface DiffRoutesOptions {
  readonly store: Pick<Store, "objects" | "inventory" | "revisions">;
  /** Undefined where no cluster can be reached. */
  readonly clients: ClusterClients | undefined;
  readonly access: Pick<Access, "allow">;
  /** What other refs of a source have; undefined where no repository can be read. */
  readonly sources: Pick<SourceResolver, "preview"> | undefined;
  readonly clock: Clock;
}

interface AskedSubject extends DiffSubject {
  /** A branch, tag or commit of the definition's repository. */
  readonly ref: string | undefined;
}

/** Below the time that clients wait for an answer. */
const limitMs = 50_000;
/** Each asks its cluster about every object twice, and may hold some megabytes. */
const atOnce = {
  concurrency: 8,
  maxWaiting: 64,
  refusal: "Too many differences are being looked for; try again in a moment.",
};
const validateRequest = createValidator(DiffRequest);

/** What would become of workloads in clusters. */
export function diffRoutes(options: DiffRoutesOptions): ApiPlugin {
  const config = { action: { verb: "get", kind: WorkloadInstance } } as const;
  const gate = new Gate(atOnce);
  return (app, { stopping }) => {
    app.post<{ Params: { name: string } }>(
      "/api/v1/workloadinstances/:name/diff",
      { config },
      async (request, reply): Promise<WorkloadDiff> => {
        readQuery(request, []);
        const subject = await findSubject(options, request);
        const clients = reachable(options, subject.cluster);
        const identity = identityOf(request);
        const { name } = subject.cluster.metadata;
        if (!clients.isGranted(identity, name)) {
          throw new BowlineError("NotGranted", withoutGrant(identity, name));
        }
        using waiting = new LinkedAbortController(stopping);
        endWith(waiting, reply);
        const caller = { identity, request: { requestId: request.id, address: request.ip } };
        return withDeadline(
          (signal) =>
            gate.pass(async () => {
              signal.throwIfAborted();
              const preview = await previewOf(options, subject, { identity, signal });
              return diffInstance({ ...options, clients }, { ...subject, preview }, { ...caller, signal });
            }),
          { clock: options.clock, limitMs, signal: waiting.signal, onTimeout: () => tooSlow(name) },
        );
      },
    );
  };
}

/** Undefined where no other ref is asked for. Branches that nobody has agreed to are for those who might agree to them. */
async function previewOf(
  { access, sources }: DiffRoutesOptions,
  { definition, spec, ref }: AskedSubject,
  { identity, signal }: { readonly identity: Identity; readonly signal: AbortSignal },
): Promise<DiffSubject["preview"]> {
  if (ref === undefined) return undefined;
  access.allow(identity, "update", WorkloadDefinition);
  if (definition === undefined || !isFromGit(definition)) {
    throw invalidError("The request", [{ path: "ref", message: "is only for definitions from git" }]);
  }
  if (sources === undefined) {
    throw new BowlineError("ServerUnavailable", "This server reads no repositories; ask another one.");
  }
  return sources.preview({ name: spec.definition, spec: definition.spec }, ref, signal);
}

/** Nobody goes on asking a cluster for somebody who has gone. */
function endWith(waiting: AbortController, { raw }: FastifyReply): void {
  raw.once("close", () => waiting.abort(new BowlineError("Cancelled", "The client has gone.")));
}

function tooSlow(cluster: string): BowlineError {
  return new BowlineError("Timeout", `The cluster ${cluster} did not answer within ${limitMs / 1_000} s.`);
}

function reachable({ clients }: DiffRoutesOptions, { metadata, status }: Cluster): ClusterClients {
  const { lastSeenAt, connectedSince } = status.agent ?? {};
  if (clients !== undefined && connectedSince !== undefined) return clients;
  throw offlineError(metadata.name, lastSeenAt);
}

/** The objects that the request brings, and those that there are for the others. */
async function findSubject({ store }: DiffRoutesOptions, request: ObjectRequest): Promise<AskedSubject> {
  const { objects } = store;
  const name = requireName(WorkloadInstance, request);
  const asked = readRequest(request);
  const stored = await objects.get(WorkloadInstance, name);
  const given = written(WorkloadInstance, asked.instance, { name, field: "instance" });
  const spec = given?.spec ?? stored?.spec;
  if (spec === undefined) throw notFound(WorkloadInstance, name);
  const definition =
    written(WorkloadDefinition, asked.definition, { name: spec.definition, field: "definition" }) ??
    (await objects.get(WorkloadDefinition, spec.definition));
  const cluster = await objects.get(Cluster, asked.cluster);
  if (cluster === undefined) throw notFound(Cluster, asked.cluster);
  const { id, deletedAt } = stored?.metadata ?? {};
  return { name, id, spec, isGoing: deletedAt !== undefined, cluster, definition, ref: asked.ref };
}

function readRequest(request: FastifyRequest): DiffRequest {
  const result = validateRequest(requireBody(request, [jsonType]));
  if (result.ok) return result.value;
  throw invalidError("The request", result.problems);
}

/** An object as it would be, checked as if it were written; undefined when the request has none. */
function written<K extends Kind>(
  kind: K,
  body: unknown,
  { name, field }: { readonly name: string; readonly field: string },
): DesiredObjectOf<K> | undefined {
  if (body === undefined) return undefined;
  const result = validateWrite(kind, body, { name, creating: true });
  if (result.ok) return result.object;
  const problems = result.problems.map(({ path, message }) => ({
    path: path === "" ? field : `${field}.${path}`,
    message,
  }));
  throw invalidError("The request", problems);
}
