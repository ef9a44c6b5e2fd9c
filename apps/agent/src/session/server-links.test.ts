import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { startScriptedServer, welcome, type SessionAnswer } from "../testing/scripted-server.ts";
import { openTestSession, silentLogger } from "../testing/session-fixture.ts";
import { ServerLinks, type ServerLinksOptions } from "./server-links.ts";

/** A server that welcomes everybody until it is told otherwise. */
async function startServer(more: Parameters<typeof welcome>[1] = {}) {
  const state = {
    calls: [] as SessionAnswer[],
    attempts: 0,
    refusal: undefined as BowlineError | undefined,
    otherReplicas: [] as string[],
  };
  const server = await startScriptedServer({
    session: async (call) => {
      state.attempts += 1;
      if (state.refusal !== undefined) return call.fail(state.refusal);
      const { otherReplica } = await welcome(call, more);
      state.otherReplicas.push(otherReplica);
      state.calls.push(call);
    },
  });
  return Object.assign(state, { server });
}

function startLinks(servers: readonly string[], more: Partial<ServerLinksOptions> = {}) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const links = new ServerLinks(
    {
      servers: () => servers,
      open: (server, signal, otherReplica) => openTestSession(server, signal, { clock, otherReplica }),
      refused: () => Promise.resolve(false),
      clock,
      random: () => 0,
      logger: silentLogger,
      ...more,
    },
    stop.signal,
  );
  onTestFinished(async () => {
    const drained = links.drain("The test is over.", 0);
    while ((await Promise.race([drained, clock.advance(2_000).then(() => "on")])) === "on");
  });
  return { clock, links, stop };
}

describe("the link to a server", () => {
  test("is made again after it broke, later and later while it fails", async () => {
    const { server } = await startServer();
    const { clock, links } = startLinks([server.url]);
    await links.connected;
    server.cut();
    await clock.armed(3_000);
    expect(links.problem).toMatchObject({ code: "ConnectionFailed" });
    await clock.advance(2_999);
    expect(links.connects).toBe(1);
    await clock.advance(1);
    await expect.poll(() => links.sessions).toHaveLength(1);
    expect(links.problem).toBeUndefined();
    server.cut();
    await clock.armed(6_000);
    await clock.advance(5_999);
    expect(links.connects).toBe(2);
    await clock.advance(1);
    await expect.poll(() => links.connects).toBe(3);
  });

  test("goes to the next address when one does not answer", async () => {
    const { server } = await startServer();
    const { clock, links } = startLinks(["http://127.0.0.1:1", server.url]);
    await clock.armed(3_000);
    expect(links.problem).toBeDefined();
    expect(links.sessions).toEqual([]);
    await clock.advance(3_000);
    await links.connected;
  });

  test("is made again when the server drains, by each agent at another moment, but not again and again", async () => {
    const state = await startServer();
    const { clock, links } = startLinks([state.server.url]);
    await links.connected;
    await clock.advance(10_000);
    const leave = (): void =>
      void state.calls.at(-1)?.send({ message: { case: "draining", value: { reason: "x", withinMs: 0 } } });
    leave();
    await clock.armed(3_000);
    expect(links.sessions).toHaveLength(0);
    await clock.advance(2_999);
    expect(links.connects).toBe(1);
    await clock.advance(1);
    await expect.poll(() => links.connects).toBe(2);
    await expect.poll(() => state.calls).toHaveLength(2);
    leave();
    await clock.armed(3_000);
    expect(links.problem).toBeDefined();
    expect(links.connects).toBe(2);
    await clock.advance(3_000);
    await expect.poll(() => links.connects).toBe(3);
  });

  test("leaves few sessions behind with a server that drains again and again, and never finishes", async () => {
    const state = await startServer({ heartbeatIntervalMs: 60_000 });
    const { clock, links } = startLinks([state.server.url]);
    for (let turn = 1; turn <= 8; turn++) {
      await expect.poll(() => [links.connects, state.server.tunnels.length]).toEqual([turn, turn]);
      // A request that goes on keeps the session.
      await (await state.server.client()).open({}, true).head;
      await clock.advance(10_000);
      state.calls
        .at(-1)
        ?.send({ message: { case: "draining", value: { reason: "x", withinMs: 2 ** 32 - 1 } } });
      await clock.armed(3_000);
      expect(links.sessions).toHaveLength(0);
      await clock.advance(3_000);
    }
    await expect.poll(() => links.connects).toBe(9);
    await expect.poll(() => state.server.connections.size).toBe(5);
    expect(links.sessions).toHaveLength(1);
  });

  test("is not tried in a hurry by an agent that is refused", async () => {
    const state = await startServer();
    state.refusal = new BowlineError("Forbidden", "The key of this agent was revoked.");
    const { clock, links } = startLinks([state.server.url]);
    await clock.armed(30_000);
    expect(links.problem).toMatchObject({ message: "The key of this agent was revoked." });
    await clock.advance(29_999);
    expect(state.attempts).toBe(1);
    await clock.advance(1);
    await clock.armed(60_000);
    expect(state.attempts).toBe(2);
    await clock.advance(59_999);
    expect(state.attempts).toBe(2);
    state.refusal = undefined;
    await clock.advance(1);
    await links.connected;
  });

  test("is tried at once by an agent that has become another one", async () => {
    const state = await startServer();
    state.refusal = new BowlineError("Unauthorized", "The server does not know this agent.");
    const { links } = startLinks([state.server.url], {
      refused: () => {
        state.refusal = undefined;
        return Promise.resolve(true);
      },
    });
    await links.connected;
    expect(state.attempts).toBe(2);
  });

  test("ends when it is told to while it is being welcomed", async () => {
    const server = await startServer();
    const welcomed = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const clock = new ManualClock();
    const { links } = startLinks([server.server.url], {
      open: async (url) => {
        const session = await openTestSession(url, new AbortController().signal, { clock });
        welcomed.resolve();
        await goOn.promise;
        return session;
      },
    });
    await welcomed.promise;
    const drained = links.drain("Enough.", 0);
    goOn.resolve();
    await drained;
    expect(links.connects).toBe(1);
  });

  test("ends when it is told to, whatever it is doing", async () => {
    const { clock, links, stop } = startLinks(["http://127.0.0.1:1"]);
    await clock.armed(3_000);
    stop.abort();
    await links.drain("Enough.", 0);
    expect(clock.pending).toBe(0);
  });
});

describe("where there are several replicas", () => {
  test("a second session goes to another one, and ends when there is no other", async () => {
    const second = await startServer({ replica: "r2" });
    const others: { otherReplicas?: string[] } = { otherReplicas: [second.server.url] };
    const first = await startServer(others);
    const { clock, links } = startLinks([first.server.url]);
    await expect.poll(() => links.sessions).toHaveLength(2);
    expect(links.sessions.map(({ welcome }) => welcome.replica)).toEqual(["r1", "r2"]);
    expect(second.attempts).toBe(1);

    // The first comes back and still names the second: that one stays.
    first.server.cut();
    await clock.armed(3_000);
    expect(links.problem).toBeDefined();
    expect(links.sessions.map(({ welcome }) => welcome.replica)).toEqual(["r2"]);
    await clock.advance(3_000);
    await expect.poll(() => links.sessions).toHaveLength(2);
    expect(second.attempts).toBe(1);

    delete others.otherReplicas;
    first.server.cut();
    await clock.armed(6_000);
    await clock.advance(6_000);
    await expect.poll(() => [links.connects, links.sessions.length]).toEqual([4, 1]);
    await clock.advance(60_000);
    await expect.poll(() => second.server.connections.size).toBe(0);
  });

  test("a second session follows when another replica comes, and leaves when it goes", async () => {
    const second = await startServer({ replica: "r2" });
    const first = await startServer();
    const { clock, links } = startLinks([first.server.url]);
    await links.connected;
    await expect.poll(() => first.calls).toHaveLength(1);
    const tell = (...others: string[]): void =>
      void first.calls.at(-1)?.send({ message: { case: "replicas", value: { others } } });
    tell(second.server.url);
    await expect.poll(() => links.sessions).toHaveLength(2);
    expect(second.otherReplicas).toEqual(["r1"]);
    tell();
    await expect.poll(() => links.sessions).toHaveLength(1);
    await clock.advance(60_000);
    await expect.poll(() => second.server.connections.size).toBe(0);
  });

  test("a session that is missing is tried again at once when the server of the other one says so", async () => {
    const first = await startServer({ replica: "one" });
    const second = await startServer({ replica: "two" });
    const { clock, links } = startLinks([first.server.url]);
    await links.connected;
    const urge = (state: typeof first): void =>
      void state.calls
        .at(-1)
        ?.send({ message: { case: "replicas", value: { others: [second.server.url] } } });
    await expect.poll(() => first.calls).toHaveLength(1);
    urge(first);
    await expect.poll(() => links.sessions).toHaveLength(2);
    second.server.cut();
    await clock.armed(3_000);
    urge(first);
    await expect.poll(() => second.calls).toHaveLength(2);
    await expect.poll(() => links.sessions).toHaveLength(2);
    first.server.cut();
    await clock.armed(3_000);
    urge(second);
    await expect.poll(() => first.attempts).toBe(2);
  });

  test("leaves few sessions behind when the server names others again and again", async () => {
    const second = await startServer({ replica: "r2" });
    const first = await startServer();
    const { clock, links } = startLinks([first.server.url]);
    await links.connected;
    await expect.poll(() => first.calls).toHaveLength(1);
    for (let turn = 1; turn <= 8; turn++) {
      const others = [`${second.server.url}/${turn}`];
      first.calls.at(-1)?.send({ message: { case: "replicas", value: { others } } });
      await expect.poll(() => [links.connects, second.server.tunnels.length]).toEqual([turn + 1, turn]);
      await (await second.server.client()).open({}, true).head;
    }
    await clock.advance(2_000);
    await expect.poll(() => second.server.connections.size).toBe(5);
    expect(links.connects).toBe(9);
  });

  test("behind one address, dials until it is led to another one", async () => {
    const state = await startServer();
    const { clock, links } = startLinks([state.server.url]);
    await links.connected;
    await expect.poll(() => state.calls).toHaveLength(1);
    state.refusal = new BowlineError("Conflict", "The agent has a session with this replica already.");
    state.calls.at(-1)?.send({ message: { case: "replicas", value: { others: [state.server.url] } } });
    const timePasses = setInterval(() => void clock.advance(100), 5);
    onTestFinished(() => clearInterval(timePasses));
    await expect.poll(() => state.attempts).toBeGreaterThanOrEqual(3);
    expect(links.sessions).toHaveLength(1);
    state.refusal = undefined;
    await expect.poll(() => links.sessions).toHaveLength(2);
    expect(state.otherReplicas).toEqual(["", "r1"]);
  });
});
