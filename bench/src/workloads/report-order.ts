import type { JoinOrder } from "../agents/fleet-order.ts";

/** Agents that are to join, by their tokens, and to report. */
export type { JoinOrder };

/** What every agent is to report. */
export interface ReportOrder {
  /** Tells the events of one order from those of another. */
  readonly round: number;
  readonly eventsPerAgent: number;
  /** The instance that the events are about. */
  readonly instance: string;
}

export interface ReportResult {
  readonly events: number;
  /** From the first batch until everything was acknowledged. */
  readonly seconds: number;
}
