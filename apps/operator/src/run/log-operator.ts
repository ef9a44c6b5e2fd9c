import type { BowlineError, ChildTransition, Logger } from "@bowline/core";
import { failureReport, type ReconcileEvent } from "@bowline/runtime";

import type { OperatorOptions } from "./operator.ts";

/** Events of an operator as lines of a log. */
export function logOperator(
  logger: Logger,
): Pick<OperatorOptions, "onReconciled" | "onError" | "onTransition"> {
  return {
    onReconciled: (event) => logReconcile(logger, event),
    onError: (error: BowlineError) => logger.warn({ err: error }, "Something is in the way"),
    onTransition: ({ child, from, to, error }: ChildTransition) => {
      if (error === undefined) logger.debug({ child, from, to }, "A part of the operator changed its state");
      else logger.warn({ child, from, to, err: error }, "A part of the operator failed");
    },
  };
}

function logReconcile(logger: Logger, { key, attempt, outcome, durationMs }: ReconcileEvent): void {
  const facts = { agent: key, attempt, durationMs: Math.round(durationMs) };
  if (outcome.kind === "interrupted") return;
  if (!("error" in outcome)) {
    logger.debug(facts, "The agent is as it should be");
    return;
  }
  const { logLevel, reason } = failureReport(outcome.error);
  if (logLevel === "silent") return;
  logger[logLevel]({ ...facts, reason, err: outcome.error }, "The agent is not as it should be");
}
