import type { ClusterAccess, Identity } from "@bowline/auth";
import { BowlineError, type Clock } from "@bowline/core";
import { ClusterTransport, type ClusterTunnels } from "@bowline/gateway";
import type { KubeRequest, KubeResponse, Transport, TransportTarget } from "@bowline/kube";

import { chooseGrant, grantRefusal, type AdmittedRequest } from "./admission/admit-request.ts";
import type { GrantCache } from "./admission/grant-cache.ts";
import type { ProxyAudit } from "./proxy-audit.ts";
import { proxyRecord } from "./proxy-record.ts";
import { pathSegments, type ClusterTarget } from "./request/cluster-target.ts";
import { parseKubernetesRequest } from "./request/kubernetes-request.ts";
import { addImpersonation } from "./request/request-headers.ts";

export interface ActingTransportOptions {
  readonly identity: Identity;
  /** Name of the cluster. */
  readonly cluster: string;
  readonly grants: Pick<GrantCache, "accessTo">;
  readonly tunnels: ClusterTunnels;
  readonly audit: Pick<ProxyAudit, "record">;
  readonly clock: Clock;
  /** Names the work in the audit logs of Bowline and of the cluster. */
  readonly requestId: string;
  /** Where the request came from that it is done for; undefined when the server acts by itself. */
  readonly address?: string | undefined;
  /** Called when a request is over; the status is 0 when no answer came. Must not throw. */
  readonly onAnswer?: OnAnswer | undefined;
}

export type OnAnswer = (verb: string, status: number) => void;

/**
 * The way to a cluster for the server itself when it acts for somebody: every request is made as the Kubernetes user and
 * groups of the first of that person's grants that covers it, and recorded, as if they had sent it through the proxy. A
 * grant that is taken back ends it with the next request.
 */
export class ActingTransport implements Transport {
  readonly detectsDeadPeer: boolean;
  readonly target: TransportTarget;
  readonly #options: ActingTransportOptions;
  readonly #transport: ClusterTransport;

  constructor(options: ActingTransportOptions) {
    const { tunnels, cluster, clock, identity } = options;
    this.#options = options;
    this.#transport = new ClusterTransport({ tunnels, cluster, clock });
    this.detectsDeadPeer = this.#transport.detectsDeadPeer;
    this.target = { ...this.#transport.target, identity: identity.user };
  }

  /** `NotGranted` when no grant covers it; then nothing was sent. */
  async request(request: KubeRequest): Promise<KubeResponse> {
    const { audit, clock, identity, requestId, onAnswer } = this.#options;
    const admitted = this.#admit(request);
    const headers: string[] = [];
    addImpersonation(headers, { access: admitted.access, user: identity.user, requestId });
    return this.#transport.send(request, {
      headers,
      onOver: ({ error, ...figures }) => {
        const durationMs = clock.monotonicMs() - admitted.startedMs;
        onAnswer?.(admitted.request.verb, figures.status);
        audit.record(proxyRecord(admitted, { ...figures, durationMs, message: error?.message }));
      },
    });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #admit(request: KubeRequest): AdmittedRequest {
    const { identity, cluster, grants, clock, requestId, address } = this.#options;
    const target = targetOf(cluster, request.path);
    const asked = parseKubernetesRequest({ method: request.method, ...target });
    const accesses: readonly ClusterAccess[] = grants.accessTo(identity, cluster);
    const access = chooseGrant(accesses, asked);
    if (access === undefined) {
      const { message } = grantRefusal({ identity, target, asked, hasOthers: accesses.length > 0 });
      throw new BowlineError("NotGranted", message);
    }
    return {
      requestId,
      identity,
      address,
      target,
      request: asked,
      access,
      upgrade: undefined,
      startedMs: clock.monotonicMs(),
    };
  }
}

function targetOf(cluster: string, path: string): ClusterTarget {
  const at = path.indexOf("?");
  const query = at === -1 ? "" : path.slice(at + 1);
  return { cluster, path, segments: pathSegments(at === -1 ? path : path.slice(0, at)), query };
}
