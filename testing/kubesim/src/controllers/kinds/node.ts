import type { SimObject } from "../../store/sim-api.ts";
import type { Condition } from "./meta.ts";
import type { TaintEffect } from "./pod.ts";

export interface Node extends SimObject {
  spec?: NodeSpec;
  status?: NodeStatus;
}

interface NodeSpec {
  unschedulable?: boolean;
  taints?: Taint[];
  podCIDR?: string;
  podCIDRs?: string[];
  providerID?: string;
}

export interface Taint {
  key: string;
  value?: string;
  effect: TaintEffect;
  timeAdded?: string;
}

export interface NodeStatus {
  capacity?: Record<string, string>;
  allocatable?: Record<string, string>;
  conditions?: Condition[];
  addresses?: { type: string; address: string }[];
  nodeInfo?: Record<string, string>;
  daemonEndpoints?: unknown;
  images?: { names: string[]; sizeBytes: number }[];
}

export interface Lease extends SimObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    renewTime?: string;
    acquireTime?: string;
    leaseTransitions?: number;
  };
}
