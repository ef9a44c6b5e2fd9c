import type { Identity, ClusterAccess } from "@bowline/auth";
import { BowlineError, type Clock } from "@bowline/core";
import type { FastifyRequest } from "fastify";

import { identityOf } from "../../http/admission.ts";
import type { GrantCache } from "./grant-cache.ts";
import { parseClusterTarget, type ClusterTarget } from "../request/cluster-target.ts";
import { parseKubernetesRequest, type KubernetesRequest } from "../request/kubernetes-request.ts";

/** A request that somebody may make of a cluster: who, what, and as whom. */
export interface AdmittedRequest {
  readonly requestId: string;
  readonly identity: Identity;
  /** Where it came from. */
  readonly address: string | undefined;
  readonly target: ClusterTarget;
  readonly request: KubernetesRequest;
  readonly access: ClusterAccess;
  /** The protocol that the connection should become. */
  readonly upgrade: string | undefined;
  /** By the monotonic clock. */
  readonly startedMs: number;
}

export interface AdmitRequestOptions {
  readonly grants: Pick<GrantCache, "accessTo">;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Whether the client wants another protocol on this connection. */
  readonly isUpgrade: boolean;
}

/** Questions that everybody may ask about themselves, as the API server has it by default. None is in a namespace. */
const aboutOneself: ReadonlySet<string> = new Set([
  "authentication.k8s.io/selfsubjectreviews",
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
]);

/** Decides what a request asks, and as whom it may. `BadRequest`, `NotFound` or `Forbidden` when it may not. */
export function admitRequest(
  request: FastifyRequest,
  { grants, clock, isUpgrade }: AdmitRequestOptions,
): AdmittedRequest {
  const { raw, id: requestId } = request;
  const identity = identityOf(request);
  const target = parseClusterTarget(raw.url ?? "");
  const asked = parseKubernetesRequest({ method: request.method, ...target });
  const accesses = grants.accessTo(identity, target.cluster);
  const access = chooseGrant(accesses, asked);
  if (access === undefined) throw grantRefusal({ identity, target, asked, hasOthers: accesses.length > 0 });
  return {
    requestId,
    identity,
    address: request.ip,
    target,
    request: asked,
    access,
    upgrade: isUpgrade ? raw.headers.upgrade : undefined,
    startedMs: clock.monotonicMs(),
  };
}

/** The first access that covers the request; undefined when none does. */
export function chooseGrant(
  accesses: readonly ClusterAccess[],
  request: KubernetesRequest,
): ClusterAccess | undefined {
  return accesses.find((access) => covers(access, request));
}

/**
 * A user who is held to namespaces reaches what is in them. Whatever is in no namespace, or in all, is not for them,
 * except for what every client needs to find its way: paths that are no resources, such as `/apis` and `/version`, and
 * questions about oneself. What they may do there, the cluster decides.
 */
export function covers({ namespaces }: ClusterAccess, request: KubernetesRequest): boolean {
  if (namespaces === undefined || !request.isResource) return true;
  if (request.namespace !== "") return namespaces.includes(request.namespace);
  return request.verb === "create" && aboutOneself.has(`${request.group}/${request.resource}`);
}

interface Refusal {
  readonly identity: Identity;
  readonly target: ClusterTarget;
  readonly asked: KubernetesRequest;
  /** Whether they may do other things there. */
  readonly hasOthers: boolean;
}

/** The refusal of a request that no grant covers. */
export function grantRefusal({ identity, target: { cluster }, asked, hasOthers }: Refusal): BowlineError {
  const { user } = identity;
  if (!hasOthers) return new BowlineError("Forbidden", withoutGrant(identity, cluster));
  const what = `${asked.verb} ${asked.resource} ${asked.namespace === "" ? "outside of namespaces" : `in the namespace ${asked.namespace}`}`;
  return new BowlineError(
    "Forbidden",
    `The AccessGrants of ${user} for the cluster ${cluster} are for other namespaces; they do not cover to ${what}.`,
  );
}

/** Why somebody without any grant cannot reach a cluster, and what to do about it. */
export function withoutGrant({ user, role }: Identity, cluster: string): string {
  const hint =
    role === "admin"
      ? "make one, for admins need it too: `bowline explain accessgrant` says how"
      : "ask an admin for one";
  return `No AccessGrant lets ${user} reach the cluster ${cluster}; ${hint}.`;
}
