import { once } from "node:events";
import type { IncomingMessage } from "node:http";
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

  test("because it was revoked is told so, and is not waited for although it was here a moment ago", async () => {
    const { call, tunnels, store } = await openProxy();
    tunnels.isOffline = true;
    const now = new Date().toISOString();
    tunnels.lastSeenAt = now;
    await store.objects.writeStatus(Cluster, "prod", (current) => ({
      ...current.status,
      agent: { version: "1.0.0", lastSeenAt: now },
      conditions: [
        {
          type: "AgentConnected",
          status: "False" as const,
          reason: "Revoked",
          message: "",
          lastTransitionTime: now,
          observedGeneration: 1,
        },
      ],
    }));
    await expect
      .poll(async () => JSON.parse((await call(pods)).text).message)
      .toBe("The agent of the cluster prod was revoked; `bowline cluster rotate prod` lets it join again.");
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

  test("that does not read a request which has arrived is a 504 after its time", async () => {
    const clock = new ManualClock();
    const accept: AcceptStream = () => ({ data: () => false, end: () => {}, error: () => {} });
    const { app, begin } = await openProxy({ clock, accept, limits: { answerTimeoutMs: 5_000 } });
    const arriving = once(app.server, "request");
    // More than the tunnel takes, so that the end of it waits in the server.
    const answered = answerOf(begin(pods, { method: "POST" }).end(Buffer.alloc(432 * 1024)));
    const [request]: IncomingMessage[] = await arriving;
    await expect.poll(() => request?.complete).toBe(true);
    expect(request?.readableEnded).toBe(false);
    await clock.advance(1_000);
    await clock.advance(6_000);
    expect((await answered).statusCode).toBe(504);
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
  /** The audit record of a request whose client leaves when its answer has begun, or before. */
  async function leave(path: string, { afterHead }: { readonly afterHead: boolean }) {
    const gone = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const { begin, idle, audited } = await openProxy({
      onRequest: (_, outgoing) => {
        if (afterHead) outgoing.write("begun");
        outgoing.on("close", () => gone.resolve());
        asked.resolve();
      },
    });
    const outgoing = begin(path).end();
    outgoing.on("error", () => {});
    await (afterHead ? once(outgoing, "response") : asked.promise);
    outgoing.destroy();
    await gone.promise;
    await idle();
    const [record, ...others] = await audited();
    expect(others).toEqual([]);
    return record;
  }

  test.each([`${pods}?watch=1`, `${pods}/web/log?follow=true`])(
    "ends %s in the cluster, as such streams end",
    async (path) => {
      const record = await leave(path, { afterHead: true });
      expect(record).toMatchObject({ outcome: "allowed", httpStatus: 200 });
      expect(record).not.toHaveProperty("message");
    },
  );

  test("ends a request in the cluster, which is no failure, and is in the audit log", async () => {
    expect(await leave(pods, { afterHead: true })).toMatchObject({
      outcome: "allowed",
      httpStatus: 200,
      message: "The client went away before the answer was complete.",
    });
  });

  test.each([pods, `${pods}?watch=1`])("before the answer ends %s in the cluster", async (path) => {
    expect(await leave(path, { afterHead: false })).toMatchObject({
      outcome: "allowed",
      httpStatus: 499,
      message: "The client went away before the answer.",
    });
  });
});
