import type { SimObject } from "../../store/sim-api.ts";
import type { ObjectReference } from "./meta.ts";

export type EventType = "Normal" | "Warning";

export interface CoreEvent extends SimObject {
  involvedObject: ObjectReference;
  reason: string;
  message: string;
  type: EventType;
  source: { component?: string; host?: string };
  firstTimestamp: string | null;
  lastTimestamp: string | null;
  eventTime: string | null;
  count?: number;
  series?: { count: number; lastObservedTime: string };
  action?: string;
  reportingComponent: string;
  reportingInstance: string;
}
