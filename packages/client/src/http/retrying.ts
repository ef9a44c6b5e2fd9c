import { BowlineError, backoffDelayMs, type BackoffPolicy, type Clock, type Random } from "@bowline/core";

import type { ClientLimits } from "../client-options.ts";
import type { Answer } from "./answer.ts";
import { pause } from "./cancellation.ts";
import type { ApiRequest } from "./connection.ts";

/** Short: a person waits for it. */
const pauses: BackoffPolicy = { baseMs: 200, maxMs: 2000, factor: 3, jitter: 0.5 };

interface RetryContext {
  readonly limits: Pick<ClientLimits, "maxAttempts" | "maxRetryAfterMs">;
  readonly clock: Clock;
  readonly random: Random;
}

/** Sends a request again where that may help and cannot harm; see `Client` for when that is. */
export async function sendRetrying(
  send: (request: ApiRequest) => Promise<Answer>,
  request: ApiRequest,
  context: RetryContext,
): Promise<Answer> {
  const { clock, limits } = context;
  for (let attempt = 0; ; attempt += 1) {
    const isLast = attempt + 1 >= limits.maxAttempts;
    const outcome = await attemptOnce(send, request);
    const pauseMs = isLast ? undefined : pauseBeforeRetry(request, outcome, { ...context, attempt });
    if (pauseMs === undefined) {
      if (outcome instanceof BowlineError) throw outcome;
      return outcome;
    }
    await pause(clock, pauseMs, request.signal);
  }
}

async function attemptOnce(
  send: (request: ApiRequest) => Promise<Answer>,
  request: ApiRequest,
): Promise<Answer | BowlineError> {
  try {
    return await send(request);
  } catch (thrown) {
    return BowlineError.from(thrown);
  }
}

function pauseBeforeRetry(
  request: ApiRequest,
  outcome: Answer | BowlineError,
  context: RetryContext & { readonly attempt: number },
): number | undefined {
  const backoffMs = backoffDelayMs(context.attempt, pauses, context.random);
  if (outcome instanceof BowlineError) {
    return outcome.code === "ConnectionFailed" && isRepeatable(request) ? backoffMs : undefined;
  }
  // A server that says 429 has not looked at the request; one that says 503 may have been in the middle of it.
  const mayRepeat = outcome.status === 429 || (outcome.status === 503 && isRepeatable(request));
  if (!mayRepeat) return undefined;
  const askedMs = retryAfterMs(outcome.headers["retry-after"]) ?? backoffMs;
  return askedMs <= context.limits.maxRetryAfterMs ? Math.max(askedMs, backoffMs) : undefined;
}

function retryAfterMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

/** Whether sending it twice does no more than sending it once. */
function isRepeatable({ method, headers }: ApiRequest): boolean {
  return method === "GET" || headers?.["idempotency-key"] !== undefined;
}
