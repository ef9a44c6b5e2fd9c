import { BowlineError, type Clock } from "@bowline/core";
import type { FastifyRequest } from "fastify";

import { identityOf } from "../api/frame/route-config.ts";
import type { Identity } from "@bowline/auth";
import { chooseGrant } from "./grants/choose-grant.ts";
import type { GrantCache } from "./grants/grant-cache.ts";
import type { ProxiedCall } from "./proxied-call.ts";
import { parseClusterTarget, type ClusterTarget } from "./request/cluster-target.ts";
import { parseKubernetesRequest, type KubernetesRequest } from "./request/kubernetes-request.ts";

export interface AdmitOptions {
  readonly grants: Pick<GrantCache, "accessTo">;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Whether the client wants another protocol on this connection. */
  readonly isUpgrade: boolean;
}

/** What a request asks, as whom it may. `BadRequest`, `NotFound` or `Forbidden` when it may not. */
export function admitCall(request: FastifyRequest, { grants, clock, isUpgrade }: AdmitOptions): ProxiedCall {
  const { raw, id: requestId } = request;
  const identity = identityOf(request);
  const target = parseClusterTarget(raw.url ?? "");
  const asked = parseKubernetesRequest({ method: request.method, ...target });
  const accesses = grants.accessTo(identity, target.cluster);
  const access = chooseGrant(accesses, asked);
  if (access === undefined) throw refused({ identity, target, asked, hasOthers: accesses.length > 0 });
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

interface Refusal {
  readonly identity: Identity;
  readonly target: ClusterTarget;
  readonly asked: KubernetesRequest;
  /** Whether they may do other things there. */
  readonly hasOthers: boolean;
}

function refused({ identity, target: { cluster }, asked, hasOthers }: Refusal): BowlineError {
  const { user, role } = identity;
  if (!hasOthers) {
    const hint =
      role === "admin"
        ? "make one, for admins need it too: `bowline explain accessgrant` says how"
        : "ask an admin for one";
    return new BowlineError(
      "Forbidden",
      `No AccessGrant lets ${user} reach the cluster ${cluster}; ${hint}.`,
    );
  }
  const what = `${asked.verb} ${asked.resource} ${asked.namespace === "" ? "outside of namespaces" : `in the namespace ${asked.namespace}`}`;
  return new BowlineError(
    "Forbidden",
    `The AccessGrants of ${user} for the cluster ${cluster} are for other namespaces; they do not cover to ${what}.`,
  );
}
