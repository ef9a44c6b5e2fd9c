import { BowlineError, isRecord, shortened } from "@bowline/core";
import type { ProviderAnswer } from "@bowline/providers";

import { isProviderState } from "./provisioning-status.ts";

const longestQuote = 256;

/**
 * The answer of a provider without what is not of its type: much of it comes from programs and clouds. One without a
 * state that there is says nothing of the cluster, and is told as it is.
 */
export function readAnswer(provider: string, answer: unknown): ProviderAnswer {
  if (!isRecord(answer) || !isProviderState(answer["state"])) throw nonsense(provider, answer);
  const { state, reason, message, step, retryAfterMs, leftOver } = answer;
  return {
    state,
    ...(typeof reason === "string" ? { reason } : {}),
    ...(typeof message === "string" ? { message } : {}),
    ...(isStep(step) ? { step } : {}),
    ...(typeof retryAfterMs === "number" ? { retryAfterMs } : {}),
    ...(Array.isArray(leftOver) ? { leftOver: leftOver.filter((name) => typeof name === "string") } : {}),
  };
}

/** Numbers are brought within their bounds where they are shown. */
function isStep(step: unknown): step is NonNullable<ProviderAnswer["step"]> {
  return isRecord(step) && typeof step["text"] === "string";
}

function nonsense(provider: string, answer: unknown): BowlineError {
  const said = shortened(JSON.stringify(answer) ?? String(answer), longestQuote);
  const message = `The provider "${provider}" has said nothing that can be understood, and is asked again: ${said}`;
  return new BowlineError("ReconcileWaiting", message, { details: { reason: "ProviderAnswerInvalid" } });
}
