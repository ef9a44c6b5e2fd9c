import { Readable } from "node:stream";
import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, it } from "vitest";
import { KubeClient } from "../client/kube-client.ts";
import { resources } from "../client/resources.ts";
import type { KubeRequest, KubeResponse, Transport } from "../transport.ts";
import { RateLimitedTransport, RetryingTransport } from "./transport-layers.ts";

type Answer = { readonly status: number; readonly retryAfter?: string } | Error;

/** Answers with what it was given, in order, and the last one for ever. */
class ScriptedTransport implements Transport {
  readonly detectsDeadPeer = true;
  readonly target = { server: "https://api:6443" };
  readonly bodies: Readable[] = [];
  readonly #answers: Answer[];

  constructor(...answers: Answer[]) {
    this.#answers = answers;
  }

  get sent(): number {
    return this.bodies.length;
  }

  request(_request: KubeRequest): Promise<KubeResponse> {
    const answer = this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0];
    const body = Readable.from([Buffer.from("{}")]);
    this.bodies.push(body);
    if (answer === undefined || answer instanceof Error)
      return Promise.reject(answer ?? new Error("no answer"));
    const headers = answer.retryAfter === undefined ? {} : { "retry-after": answer.retryAfter };
    return Promise.resolve({ status: answer.status, headers, body });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const limits = { maxAttempts: 3, maxWaitMs: 30_000 };
const get: KubeRequest = { method: "GET", path: "/api" };

function retrying(inner: Transport): { readonly transport: RetryingTransport; readonly clock: ManualClock } {
  const clock = new ManualClock();
  return { transport: new RetryingTransport(inner, limits, clock), clock };
}

describe("Retry-After", () => {
  it.each([429, 503])("waits as a %i asks and sends the request again", async (status) => {
    const inner = new ScriptedTransport({ status, retryAfter: "2" }, { status: 200 });
    const { transport, clock } = retrying(inner);
    const response = transport.request({ method: "POST", path: "/api", body: "{}" });
    await clock.advance(1999);
    expect(inner.sent).toBe(1);
    await clock.advance(1);
    expect(await response).toMatchObject({ status: 200, attempts: 2 });
    expect(inner.bodies[0]?.destroyed).toBe(true);
  });

  it("gives up after the last attempt, and the error says how often it tried", async () => {
    const inner = new ScriptedTransport({ status: 429, retryAfter: "1" });
    const { transport, clock } = retrying(inner);
    const failure = new KubeClient(transport).get(resources.pods, { namespace: "a", name: "b" });
    const [settled] = await Promise.all([Promise.allSettled([failure]), clock.advance(10_000)]);
    expect(settled[0]).toMatchObject({
      reason: {
        code: "TooManyRequests",
        message: expect.stringContaining("after 3 tries"),
        details: { attempts: 3, retryAfterSeconds: 1 },
      },
    });
    expect(inner.sent).toBe(3);
  });

  it.each([
    ["asks for more patience than allowed", { status: 429, retryAfter: "31" }, get],
    ["does not say when to come back", { status: 503 }, get],
    [
      "answers a watch, which has its own backoff",
      { status: 429, retryAfter: "1" },
      { ...get, longLived: true },
    ],
    ["answers somebody who decides alone", { status: 429, retryAfter: "1" }, { ...get, noRetry: true }],
    ["fails for another reason", { status: 500, retryAfter: "1" }, get],
  ] as const)("passes the answer on when the server %s", async (_case, answer, request) => {
    const inner = new ScriptedTransport(answer);
    const response = await retrying(inner).transport.request(request);
    expect(response).toMatchObject({ status: answer.status, attempts: 1 });
  });

  it("passes the answer on when all pauses together would be longer than allowed", async () => {
    const inner = new ScriptedTransport({ status: 503, retryAfter: "20" });
    const { transport, clock } = retrying(inner);
    const response = transport.request(get);
    await clock.advance(20_000);
    expect(await response).toMatchObject({ status: 503, attempts: 2 });
  });

  it("stops waiting when the request is cancelled or the transport closed", async () => {
    const inner = new ScriptedTransport({ status: 429, retryAfter: "5" });
    const { transport, clock } = retrying(inner);
    const abort = new AbortController();
    const cancelled = transport.request({ ...get, signal: abort.signal });
    const closed = transport.request(get);
    await clock.settle();
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "Cancelled" });
    await transport.close();
    await expect(closed).rejects.toMatchObject({ code: "Cancelled" });
    expect(clock.pending).toBe(0);
  });
});

describe("a socket the server closed a moment ago", () => {
  const broken = new BowlineError("ConnectionFailed", "broke", {
    cause: Object.assign(new Error("x"), { code: "ECONNRESET" }),
  });

  it("costs a read nothing", async () => {
    const inner = new ScriptedTransport(broken, { status: 200 });
    expect(await retrying(inner).transport.request(get)).toMatchObject({ status: 200 });
  });

  it("fails a write, which may have been done", async () => {
    const inner = new ScriptedTransport(broken, { status: 200 });
    await expect(retrying(inner).transport.request({ method: "POST", path: "/" })).rejects.toBe(broken);
  });

  it("fails a read the second time", async () => {
    const inner = new ScriptedTransport(broken);
    await expect(retrying(inner).transport.request(get)).rejects.toBe(broken);
    expect(inner.sent).toBe(2);
  });
});

describe("RateLimitedTransport", () => {
  it("holds back what is above the rate, and gives up when cancelled", async () => {
    let sent = 0;
    const inner: Transport = {
      detectsDeadPeer: false,
      request: () => {
        sent += 1;
        return Promise.resolve({ status: 200, headers: {}, body: Readable.from([]) });
      },
      close: () => Promise.resolve(),
    };
    const clock = new ManualClock();
    const transport = new RateLimitedTransport(inner, { perSecond: 1, burst: 2 }, clock);
    const abort = new AbortController();
    const all = [1, 2, 3].map(() => transport.request({ method: "GET", path: "/" }));
    const cancelled = transport.request({ method: "GET", path: "/", signal: abort.signal });
    await clock.settle();
    expect(sent).toBe(2);
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "Cancelled" });
    await clock.advance(1000);
    await Promise.all(all);
    expect(sent).toBe(3);
    expect(clock.pending).toBe(0);
  });
});
