import type { SimObject } from "../../store/sim-api.ts";
import type { EventLog, EventSource } from "./event-log.ts";

/** One component's voice in the event log. */
export class EventRecorder {
  readonly #log: EventLog;
  readonly #source: EventSource;

  constructor(log: EventLog, source: EventSource) {
    this.#log = log;
    this.#source = source;
  }

  normal(about: SimObject, reason: string, message: string, fieldPath?: string): void {
    this.#log.record(this.#source, about, draft("Normal", reason, message, fieldPath));
  }

  warning(about: SimObject, reason: string, message: string, fieldPath?: string): void {
    this.#log.record(this.#source, about, draft("Warning", reason, message, fieldPath));
  }
}

function draft(
  type: "Normal" | "Warning",
  reason: string,
  message: string,
  fieldPath: string | undefined,
): { type: "Normal" | "Warning"; reason: string; message: string; fieldPath?: string } {
  return { type, reason, message, ...(fieldPath === undefined ? {} : { fieldPath }) };
}
