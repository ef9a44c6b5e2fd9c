import { once } from "node:events";
import { text } from "node:stream/consumers";

import { Cluster } from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import type { AcceptStream } from "@bowline/protocol";
import { describe, expect, test } from "vitest";

import { answerOf, openProxy, type Answer } from "./testing/proxy-harness.ts";

const pods = "/api/v1/namespaces/shop/pods";

const statusOf = ({ status, headers, text: body }: Answer): unknown[] => [
  status,
  JSON.parse(body).reason,
  headers["x-bowline-error-from"],
];

describe("an agent that is offline", () => {
  test("is told at once, with when it was last seen", async () => {
    const { call, tunnels } = await openProxy();
    tunnels.isOffline = true;
    tunnels.lastSeenAt = new Date().toISOString();
    const answer = await call(pods);
    expect(statusOf(answer)).toEqual([503, "AgentOffline", "agent"]);
    expect(JSON.parse(answer.text).message).toBe(
      `The agent of the cluster prod is not connected; it was last seen at ${tunnels.lastSeenAt}.`,
    );
    // Seconds, which kubectl waits for by itself: it was here a moment ago.
    expect(answer.headers["retry-after"]).toBe("1");
  });

  test("for long is told by the status of the cluster, and is not waited for", async () => {
    const { call, tunnels, store } = await openProxy();
    tunnels.isOffline = true;
    expect(JSON.parse((await call(pods)).text).message).toMatch(/has never been seen/u);
    const lastSeenAt = "2026-01-01T00:00:00Z";
    await store.objects.writeStatus(Cluster, "prod", (current) => ({
      ...current.status,
      agent: { version: "1.0.0", lastSeenAt },
    }));
    await expect.poll(async () => JSON.parse((await call(pods)).text).message).toContain(lastSeenAt);
    const { headers } = await call(pods);
    expect(Date.parse(headers["retry-after"] ?? "")).toBeGreaterThan(Date.now());
  });

  test("takes nothing of the limits, here or on another replica", async () => {
    const { call, tunnels } = await openProxy({ limits: { maxRequests: 1 } });
    tunnels.isOffline = true;
    for (const isAsync of [false, true, false, true]) {
      tunnels.isAsync = isAsync;
      expect((await call(pods)).status).toBe(503);
    }
  });

  test("is used again when it is back", async () => {
    const { call, tunnels } = await openProxy();
    tunnels.agent.close();
    tunnels.isOffline = true;
    expect((await call(pods)).status).toBe(503);
    tunnels.reconnect();
    expect((await call(pods)).text).toBe("ok");
  });

  test("on another replica is found there", async () => {
    const { call, tunnels } = await openProxy();
    tunnels.isAsync = true;
    expect((await call(pods)).text).toBe("ok");
  });
});

test("what nobody foresaw is told to the log alone", async () => {
  const { call, tunnels } = await openProxy();
  tunnels.find = () => {
    throw new Error("secret");
  };
  const answer = await call(pods);
  expect(statusOf(answer)).toEqual([500, "InternalError", "server"]);
  expect(answer.text).not.toContain("secret");
});

describe("an agent that is lost on the way", () => {
  test("before the answer is a 502, and nobody repeats the request", async () => {
    let asked = 0;
    const { call, tunnels, audited } = await openProxy({
      onRequest: () => {
        asked += 1;
        tunnels.agent.close();
      },
    });
    expect(statusOf(await call(pods))).toEqual([502, "TunnelLost", "agent"]);
    expect(asked).toBe(1);
    expect(await audited()).toMatchObject([{ outcome: "failed", httpStatus: 502, proxy: { verb: "list" } }]);
  });

  test("in the middle of an answer breaks it, so that nobody takes it for complete", async () => {
    const { begin, tunnels, audited } = await openProxy({
      onRequest: (_, outgoing) => void outgoing.write("begun"),
    });
    const answer = await answerOf(begin(`${pods}?watch=1`).end());
    tunnels.agent.close();
    await expect(text(answer)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(await audited()).toMatchObject([
      { outcome: "failed", httpStatus: 200, proxy: { verb: "watch", answerBytes: 5 } },
    ]);
  });

  test("in the middle of an upload is told, and the client need not send the rest", async () => {
    const { begin, tunnels } = await openProxy({ onRequest: () => tunnels.agent.close() });
    const outgoing = begin(pods, { method: "POST" });
    outgoing.on("error", () => {});
    outgoing.write(Buffer.alloc(100_000));
    const answer = await answerOf(outgoing);
    expect(answer.statusCode).toBe(502);
    outgoing.destroy();
  });

  test("before it took the request is a reason to try once more", async () => {
    let accepted = 0;
    const accept: AcceptStream = (stream) => {
      accepted += 1;
      if (accepted === 1) stream.reset("refused", "Draining.");
      else {
        stream.sendHeaders({ status: 200, headers: [] });
        stream.end();
      }
      return { data: () => true, end: () => {}, error: () => {} };
    };
    const { call } = await openProxy({ accept });
    expect([(await call(pods)).status, accepted]).toEqual([200, 2]);
  });

  test("while it was chosen is a 503", async () => {
    const { call, tunnels } = await openProxy();
    void tunnels.server.drain();
    const answer = await call(pods);
    expect(statusOf(answer)).toEqual([503, "TunnelDraining", "agent"]);
    expect(answer.headers["retry-after"]).toBe("1");
  });
});

describe("a cluster", () => {
  test.each([
    ["unreachable", 502, "ConnectionFailed", "cluster"],
    ["upstream", 502, "ResponseInvalid", "cluster"],
    ["timeout", 504, "Timeout", "cluster"],
    ["overloaded", 429, "TooManyRequests", "agent"],
    ["protocol", 502, "ProtocolViolation", "agent"],
    ["internal", 502, "ResponseInvalid", "agent"],
  ] as const)("whose agent says «%s» is a %s", async (reset, ...expected) => {
    const accept: AcceptStream = (stream) => {
      stream.reset(reset, "No such host\nkubernetes");
      return { data: () => true, end: () => {}, error: () => {} };
    };
    const { call } = await openProxy({ accept });
    const answer = await call(pods);
    expect(statusOf(answer)).toEqual(expected);
    expect(JSON.parse(answer.text).message).toMatch(/ of prod: No such host\u{fffd}kubernetes$/u);
  });

  test("that breaks off in the middle breaks the answer", async () => {
    const { begin, idle } = await openProxy({
      onRequest: (_, outgoing) => {
        outgoing.writeHead(200, { "content-length": "100" });
        outgoing.write("begun", () => outgoing.destroy());
      },
    });
    const answer = await answerOf(begin(pods).end());
    await expect(text(answer)).rejects.toMatchObject({ code: "ECONNRESET" });
    await idle();
  });

  test("that does not answer is a 504 after its time, and is told to stop", async () => {
    const clock = new ManualClock();
    const gone = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const { begin, idle } = await openProxy({
      clock,
      limits: { answerTimeoutMs: 5_000 },
      onRequest: (_, outgoing) => {
        asked.resolve();
        outgoing.on("close", () => gone.resolve());
      },
    });
    const answered = answerOf(begin(pods).end());
    await asked.promise;
    await clock.advance(4_000);
    await clock.advance(2_000);
    const answer = await answered;
    expect([answer.statusCode, JSON.parse(await text(answer)).reason]).toEqual([504, "Timeout"]);
    await gone.promise;
    await idle();
  });

  test.each([
    ["a body that is longer than it said", 200, ["Content-Length", "3"], "four"],
    ["a body that is shorter than it said", 200, ["Content-Length", "5"], "four"],
  ])("with %s gets nobody to read the next answer wrong", async (_, status, headers, body) => {
    const accept: AcceptStream = (stream) => {
      stream.sendHeaders({ status, headers });
      stream.write(Buffer.from(body));
      stream.end();
      return { data: () => true, end: () => {}, error: () => {} };
    };
    const { begin } = await openProxy({ accept });
    const outgoing = begin(pods).end();
    const broken = new Promise<Error>((resolve) => {
      outgoing.on("error", resolve);
      outgoing.on("response", (answer) => answer.on("error", resolve).resume());
    });
    await expect(broken).resolves.toMatchObject({ code: "ECONNRESET" });
  });

  test.each([
    ["an impossible status", 777, []],
    ["two lengths", 200, ["Content-Length", "3", "Content-Length", "4"]],
    ["a change of protocol that nobody asked for", 101, []],
  ])("with %s is a 502", async (_, status, headers) => {
    const accept: AcceptStream = (stream) => {
      stream.sendHeaders({ status, headers });
      return { data: () => true, end: () => {}, error: () => {} };
    };
    const { call } = await openProxy({ accept });
    expect((await call(pods)).status).toBe(502);
  });
});

describe("a client that goes away", () => {
  test("ends the request in the cluster, and is in the audit log", async () => {
    const gone = Promise.withResolvers<void>();
    const { begin, idle, audited } = await openProxy({
      onRequest: (_, outgoing) => {
        outgoing.write("begun");
        outgoing.on("close", () => gone.resolve());
      },
    });
    const outgoing = begin(`${pods}?watch=1`).end();
    await once(outgoing, "response");
    outgoing.destroy();
    await gone.promise;
    await idle();
    expect(await audited()).toMatchObject([{ message: "The client went away.", httpStatus: 200 }]);
  });

  test("before the answer has ended its request there", async () => {
    const gone = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const { begin, idle, audited } = await openProxy({
      onRequest: (_, outgoing) => {
        asked.resolve();
        outgoing.on("close", () => gone.resolve());
      },
    });
    const outgoing = begin(pods).end();
    outgoing.on("error", () => {});
    await asked.promise;
    outgoing.destroy();
    await gone.promise;
    await idle();
    expect(await audited()).toMatchObject([{ outcome: "failed", httpStatus: 499 }]);
  });
});
