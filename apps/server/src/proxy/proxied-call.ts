import type { ClusterAccess, Identity } from "@bowline/auth";
import type { ClusterTarget } from "./request/cluster-target.ts";
import type { KubernetesRequest } from "./request/kubernetes-request.ts";

/** A request that somebody may make of a cluster: who, what, and as whom. */
export interface ProxiedCall {
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
