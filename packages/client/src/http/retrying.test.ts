import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import type { Answer } from "./answer.ts";
import type { ApiRequest } from "./connection.ts";
import { sendRetrying } from "./retrying.ts";

const read: ApiRequest = { method: "GET", path: "/x", subject: "x" };
const write: ApiRequest = { method: "PUT", path: "/x", subject: "x" };
const keyed: ApiRequest = { method: "POST", path: "/x", subject: "x", headers: { "idempotency-key": "k" } };

const ok = answer(200);
const lost = new BowlineError("ConnectionFailed", "The connection broke.");

function answer(status: number, retryAfter?: string): Answer {
  return {
    status,
    headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
    body: Buffer.of(),
  };
}

/** Sends to somebody who answers like this, one after the other; tells what came of it and how long it took. */
async function send(
  request: ApiRequest,
  outcomes: readonly (Answer | BowlineError)[],
  maxRetryAfterMs = 10_000,
): Promise<{ outcome: number | string; attempts: number; tookMs: number }> {
  const clock = new ManualClock();
  let attempts = 0;
  const sending = sendRetrying(
    () => {
      const outcome = outcomes[attempts++] ?? new BowlineError("Internal", "Sent too often.");
      return outcome instanceof BowlineError ? Promise.reject(outcome) : Promise.resolve(outcome);
    },
    request,
    { limits: { maxAttempts: 3, maxRetryAfterMs }, clock, random: () => 0 },
  ).then(
    ({ status }) => ({ outcome: status, attempts, tookMs: clock.monotonicMs() }),
    (error: BowlineError) => ({ outcome: error.code, attempts, tookMs: clock.monotonicMs() }),
  );
  await clock.advance(60_000);
  return sending;
}

describe("a read", () => {
  test("is sent again when the connection broke, with longer and longer pauses, three times in all", async () => {
    expect(await send(read, [lost, lost, ok])).toEqual({ outcome: 200, attempts: 3, tookMs: 800 });
    expect(await send(read, [lost, lost, lost, ok])).toMatchObject({
      outcome: "ConnectionFailed",
      attempts: 3,
    });
  });

  test("is sent again to a server that was not ready, as late as it asks", async () => {
    expect(await send(read, [answer(503, "7"), ok])).toEqual({ outcome: 200, attempts: 2, tookMs: 7000 });
    expect(await send(read, [answer(503), ok])).toEqual({ outcome: 200, attempts: 2, tookMs: 200 });
  });

  test("is not sent again to a server that asks for more patience than somebody has", async () => {
    expect(await send(read, [answer(503, "11"), ok])).toMatchObject({ outcome: 503, attempts: 1 });
  });

  test.each([
    answer(500),
    answer(404),
    new BowlineError("CertificateUntrusted", "No."),
    new BowlineError("Timeout", "No."),
  ])("is not sent again when that cannot help", async (outcome) => {
    expect((await send(read, [outcome, ok])).attempts).toBe(1);
  });
});

describe("a write", () => {
  test("that may have been done is not sent again", async () => {
    expect(await send(write, [lost, ok])).toMatchObject({ outcome: "ConnectionFailed", attempts: 1 });
    expect(await send(write, [answer(503, "1"), ok])).toMatchObject({ outcome: 503, attempts: 1 });
  });

  test("that the server turned away unread is", async () => {
    expect(await send(write, [answer(429, "2"), ok])).toEqual({ outcome: 200, attempts: 2, tookMs: 2000 });
  });

  test("that carries a key is, since the server knows it again", async () => {
    expect(await send(keyed, [lost, answer(503, "1"), ok])).toMatchObject({ outcome: 200, attempts: 3 });
  });
});

test("a pause ends when the request is cancelled", async () => {
  const clock = new ManualClock();
  const abort = new AbortController();
  const sending = sendRetrying(
    () => Promise.reject(lost),
    { ...read, signal: abort.signal },
    {
      limits: { maxAttempts: 3, maxRetryAfterMs: 1 },
      clock,
      random: () => 0,
    },
  );
  await clock.settle();
  abort.abort();
  await expect(sending).rejects.toMatchObject({ code: "Cancelled" });
  expect(clock.pending).toBe(0);
});
