import type { LabelSelectorObject } from "@bowline/core";

/** Parts that several kinds share. Only the fields the simulated controllers read or write are described. */
export type LabelSelector = LabelSelectorObject;

export type ConditionStatus = "True" | "False" | "Unknown";

export interface Condition {
  type: string;
  status: ConditionStatus;
  reason?: string;
  message?: string;
  lastTransitionTime?: string | null;
  lastUpdateTime?: string | null;
  lastProbeTime?: string | null;
  lastHeartbeatTime?: string | null;
}

/** A count, or a share of another count such as `25%`. */
export type IntOrPercent = number | string;

export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
  fieldPath?: string;
}
