import { once } from "node:events";
import { duplexPair, type Duplex } from "node:stream";

import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { duplexChannel, type AcceptStream, type ByteChannel, type TunnelStream } from "@bowline/protocol";
import { describe, expect, test } from "vitest";

import {
  expectMessage,
  startScriptedServer,
  welcome,
  type SessionAnswer,
} from "../testing/scripted-server.ts";
import { openTestSession } from "../testing/session-fixture.ts";

/** A server that welcomes everybody, and the call of the agent that came last. */
async function startServer(more: Parameters<typeof welcome>[1] = {}) {
  const opened = Promise.withResolvers<SessionAnswer>();
  const tunnelHeaders: unknown[] = [];
  const server = await startScriptedServer({
    session: async (call) => {
      await welcome(call, more);
      opened.resolve(call);
    },
    tunnel: (headers) => void tunnelHeaders.push(headers["bowline-session"]),
  });
  return { server, call: opened.promise, tunnelHeaders };
}

const { signal } = new AbortController();

describe("a session", () => {
  test("begins with a hello, proven, and carries requests through its tunnel", async () => {
    const seen: unknown[] = [];
    const server = await startScriptedServer({
      session: async (call, { authorization }) => {
        seen.push(authorization, await welcome(call));
      },
    });
    const session = await openTestSession(server.url);
    expect(seen).toMatchObject([
      "Bearer signed",
      { agentVersion: "1.2.3", kubernetesVersion: "v1.36.0", clusterUid: "u1", instance: "pod-1" },
    ]);
    expect(session.welcome).toMatchObject({ sessionId: "s1", serverVersion: "9.9.9" });
    const client = await server.client();
    expect((await client.ask({ path: "/version" })).text).toBe("/version");
    expect(session.isServing).toBe(true);
  });

  test("is refused with the reason of the server, and leaves nothing behind", async () => {
    const refusal = new BowlineError("Forbidden", "The key of this agent was revoked.");
    const server = await startScriptedServer({ session: (call) => call.fail(refusal) });
    await expect(openTestSession(server.url)).rejects.toMatchObject({
      code: "Forbidden",
      message: "The key of this agent was revoked.",
    });
    await expect.poll(() => server.connections.size).toBe(0);
  });

  test("is given up when there is no welcome", async () => {
    const clock = new ManualClock();
    const heard = Promise.withResolvers<void>();
    const server = await startScriptedServer({
      session: async (call) => {
        await expectMessage(call, "hello");
        heard.resolve();
      },
    });
    const opening = openTestSession(server.url, signal, { clock });
    // Until somebody waits for it, it must not count as unhandled.
    opening.catch(() => {});
    await Promise.all([heard.promise, clock.armed(15_000)]);
    await clock.advance(15_000);
    await expect(opening).rejects.toMatchObject({ code: "Timeout" });
    await expect.poll(() => server.connections.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test("beats both ways, and measures the way", async () => {
    const { server, call } = await startServer();
    const session = await openTestSession(server.url);
    const answer = await call;
    answer.send({ message: { case: "heartbeat", value: { sequence: 41 } } });
    const first = await answer.messages.next();
    expect(first.value).toMatchObject({ message: { case: "heartbeat", value: { sequence: 1 } } });
    expect(await expectMessage(answer, "heartbeatAck")).toMatchObject({ value: { sequence: 41 } });
    expect(session.roundTripMs).toBeUndefined();
    answer.send({ message: { case: "heartbeatAck", value: { sequence: 1 } } });
    await expect.poll(() => session.roundTripMs).toBeDefined();
  });

  test("ends when three heartbeats are missing, and not before", async () => {
    const clock = new ManualClock();
    const { server, call } = await startServer();
    const session = await openTestSession(server.url, signal, { clock });
    const answer = await call;
    await clock.advance(30_000);
    answer.send({ message: { case: "heartbeat", value: { sequence: 1 } } });
    await expectMessage(answer, "heartbeatAck");
    await clock.advance(44_999);
    expect(await Promise.race([session.departed, Promise.resolve("still there")])).toBe("still there");
    await clock.advance(15_001);
    expect(await session.departed).toMatchObject({ kind: "ended", error: { code: "Timeout" } });
    await session.closed;
    await expect.poll(() => server.connections.size).toBe(0);
  });

  test.each([
    [1, 999, 2_001],
    [2 ** 32 - 1, 179_999, 1],
  ])(
    "keeps to a sensible interval where the server asks for %i ms",
    async (heartbeatIntervalMs, until, after) => {
      const clock = new ManualClock();
      const { server, call } = await startServer({ heartbeatIntervalMs });
      const session = await openTestSession(server.url, signal, { clock });
      await call;
      await clock.advance(until);
      expect(await Promise.race([session.departed, Promise.resolve("still there")])).toBe("still there");
      await clock.advance(after);
      expect(await session.departed).toMatchObject({ kind: "ended", error: { code: "Timeout" } });
    },
  );

  test("applies what the server configures, and says what it cannot", async () => {
    const configure = (config: { readonly version: string }): string =>
      config.version === "v2" ? "No." : "";
    const { server, call } = await startServer();
    await openTestSession(server.url, signal, { configure });
    const answer = await call;
    for (const version of ["v1", "v2"]) {
      answer.send({ message: { case: "config", value: { version } } });
      const { value } = await expectMessage(answer, "configApplied");
      expect(value).toMatchObject({ version, problem: version === "v2" ? "No." : "" });
    }
  });

  test("ends at once with its connection", async () => {
    const { server, call } = await startServer();
    const session = await openTestSession(server.url);
    await call;
    server.cut();
    expect(await session.departed).toMatchObject({ kind: "ended", error: { code: "ConnectionFailed" } });
    await session.closed;
  });

  test("ends with the reason of the server", async () => {
    const { server, call } = await startServer();
    const session = await openTestSession(server.url);
    (await call).fail(new BowlineError("Forbidden", "Revoked."));
    expect(await session.departed).toMatchObject({ kind: "ended", error: { code: "Forbidden" } });
  });
});

describe("the tunnels of a session", () => {
  test("are as many as the welcome says, each on a connection of its own", async () => {
    const { server } = await startServer({ tunnels: 3 });
    const dialled: { readonly headers: object; readonly far: Duplex }[] = [];
    const dialTunnel = async (headers: object): Promise<ByteChannel> => {
      const [near, far] = duplexPair();
      dialled.push({ headers, far });
      return duplexChannel(near);
    };
    const session = await openTestSession(server.url, signal, { dialTunnel });
    await expect.poll(() => session.isServing).toBe(true);
    expect(dialled.map(({ headers }) => headers)).toEqual(
      Array.from({ length: 3 }, () => ({ authorization: "Bearer signed", "bowline-session": "s1" })),
    );
    expect(server.tunnels).toHaveLength(0);
    const ended = dialled.map(({ far }) => once(far.resume(), "end"));
    session.destroy();
    await Promise.all([session.closed, ...ended]);
  });

  test.each([
    ["can be none", async () => undefined],
    ["is none", async () => Promise.reject(new BowlineError("Conflict", "Another replica."))],
  ])("use the connection of the session where there %s for them", async (_, dialTunnel) => {
    const { server, tunnelHeaders } = await startServer({ tunnels: 2 });
    const session = await openTestSession(server.url, signal, { dialTunnel });
    await expect.poll(() => server.tunnels).toHaveLength(2);
    expect(server.connections.size).toBe(1);
    expect(tunnelHeaders).toEqual(["s1", "s1"]);
    session.destroy();
    await session.closed;
    await expect.poll(() => server.connections.size).toBe(0);
  });

  test("are dialled again when they are lost", async () => {
    const clock = new ManualClock();
    const { server } = await startServer();
    const session = await openTestSession(server.url, signal, { clock, random: () => 0 });
    await expect.poll(() => session.isServing).toBe(true);
    server.tunnels[0]?.close();
    await clock.armed(800);
    expect(session.isServing).toBe(false);
    await clock.advance(800);
    await expect.poll(() => session.isServing).toBe(true);
    expect(server.tunnels).toHaveLength(2);
  });
});

describe("a side that leaves", () => {
  /** Takes requests, and answers them when it is told to. */
  function slowly(): { accept: AcceptStream; finish: () => void } {
    const streams: TunnelStream[] = [];
    return {
      accept: (stream) => {
        streams.push(stream);
        stream.sendHeaders({ status: 200, headers: [] });
        return { data: () => true, end: () => {}, error: () => {} };
      },
      finish: () => {
        for (const stream of streams) stream.end();
      },
    };
  }

  test("may be the server: what is under way is finished, and the agent looks elsewhere at once", async () => {
    const { server, call } = await startServer();
    const { accept, finish } = slowly();
    const session = await openTestSession(server.url, signal, { accept });
    const client = await server.client();
    const answer = client.open();
    await answer.head;
    (await call).send({ message: { case: "draining", value: { reason: "An upgrade.", withinMs: 60_000 } } });
    expect(await session.departed).toEqual({ kind: "draining", reason: "An upgrade." });
    expect(session.isServing).toBe(false);
    await expect.poll(() => server.tunnels[0]?.state).toBe("draining");
    finish();
    await answer.ended;
    await session.closed;
  });

  test("may be the agent: it says so, and finishes what is under way", async () => {
    const { server, call } = await startServer();
    const { accept, finish } = slowly();
    const session = await openTestSession(server.url, signal, { accept });
    const client = await server.client();
    const answer = client.open();
    await answer.head;
    const draining = session.drain("The agent is stopping.", 60_000);
    const messages = await call;
    expect(await expectMessage(messages, "draining")).toMatchObject({
      value: { reason: "The agent is stopping.", withinMs: 60_000 },
    });
    finish();
    await answer.ended;
    while ((await messages.messages.next()).done !== true);
    messages.end();
    await draining;
    await expect.poll(() => server.connections.size).toBe(0);
  });

  test("does not wait for ever", async () => {
    const clock = new ManualClock();
    const { server } = await startServer();
    const session = await openTestSession(server.url, signal, { accept: slowly().accept, clock });
    const client = await server.client();
    const answer = client.open();
    await answer.head;
    const draining = session.drain("The agent is stopping.", 1_000);
    await clock.advance(1_000);
    await expect(answer.ended).rejects.toMatchObject({ code: "TunnelLost" });
    // Nor for a server that does not say good-bye.
    await clock.advance(2_000);
    await draining;
    await clock.advance(5_000);
    expect(clock.pending).toBe(0);
  });
});
