import { setTimeout as delay } from "node:timers/promises";

import { systemClock, type BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import {
  TunnelConnection,
  type AcceptStream,
  type StreamHandler,
  type TunnelStream,
} from "@bowline/protocol";
import { describe, expect, test, vi } from "vitest";

import { makeAuthority } from "@bowline/tls/issue";
import { openTestGateway, type GatewayHarness } from "../testing/gateway-harness.ts";
import type { TestAgent, TestSession } from "../testing/test-agent.ts";
import { dialReplica } from "./peer-links.ts";
import { forwardedPath } from "./forward-route.ts";
import { ReplicaTokens } from "./replica-tokens.ts";
import { AnnouncementBus } from "../testing/announcement-bus.ts";

interface Pair {
  readonly bus: AnnouncementBus;
  readonly one: GatewayHarness;
  readonly two: GatewayHarness;
  readonly agent: TestAgent;
  /** With the second. */
  readonly session: TestSession;
}

/** Two gateways on one store; the agent of `edge` is connected to the second. */
async function openPair(accept?: AcceptStream): Promise<Pair> {
  const bus = new AnnouncementBus();
  const one = await openTestGateway({ openAnnouncements: bus.open });
  const two = await openTestGateway({ store: one.store, openAnnouncements: bus.open });
  const agent = await one.joinedAgent("edge");
  const session = await agent.openAt(two);
  if (accept !== undefined) await session.openTunnel(accept);
  await isWrittenDown(one);
  return { bus, one, two, agent, session };
}

async function isWrittenDown({ store }: GatewayHarness, holders = 1): Promise<void> {
  await expect.poll(async () => (await store.agents.replicas.holdersOf("edge")).length).toBe(holders);
}

/** Answers with what it was asked, and sends the body of the request back. */
const echo: AcceptStream = (stream, { method, path, headers }) => {
  stream.sendHeaders({ status: 200, headers: ["asked", `${method} ${path} ${headers.join()}`] });
  return {
    data: (chunk) => stream.write(chunk),
    end: (trailers) => stream.end(trailers),
    drain: () => stream.resume(),
    error: () => {},
  };
};

/** Never answers; its streams are for the test. */
function holding(): { accept: AcceptStream; streams: TunnelStream[]; errors: BowlineError[] } {
  const streams: TunnelStream[] = [];
  const errors: BowlineError[] = [];
  const accept: AcceptStream = (stream) => {
    streams.push(stream);
    return { data: () => true, end: () => {}, error: (error) => void errors.push(error) };
  };
  return { accept, streams, errors };
}

class Answer implements StreamHandler {
  readonly chunks: Buffer[] = [];
  readonly #done = Promise.withResolvers<string>();
  asked: string | undefined;
  trailers: readonly string[] = [];
  isReading = true;
  #drained = Promise.withResolvers<string>();

  /** Resolves to the body. */
  get whole(): Promise<string> {
    return this.#done.promise;
  }

  /** Resolves when there is room again. */
  get drained(): Promise<string> {
    return this.#drained.promise;
  }

  headers({ headers }: { readonly headers: readonly string[] }): void {
    this.asked = headers[1];
  }

  data(chunk: Buffer): boolean {
    this.chunks.push(chunk);
    return this.isReading;
  }

  end(trailers: readonly string[]): void {
    this.trailers = trailers;
    this.#done.resolve(Buffer.concat(this.chunks).toString());
  }

  drain(): void {
    this.#drained.resolve("drained");
    this.#drained = Promise.withResolvers();
  }

  error(error: BowlineError): void {
    this.#done.reject(error);
  }
}

const get = { method: "GET", path: "/api/v1/pods?limit=1", headers: ["a", "b"] };

async function ask({ gateway }: GatewayHarness): Promise<Answer> {
  const answer = new Answer();
  (await gateway.tunnels.find("edge")).open(get, answer);
  return answer;
}

describe("a request for an agent of another replica", () => {
  test("is forwarded as it is, and so is its answer", async () => {
    const { one, two } = await openPair(echo);
    const route = await one.gateway.tunnels.find("edge");
    expect(route.replica).toBe(two.owner);
    const answer = new Answer();
    const stream = route.open({ ...get, method: "POST" }, answer, { hasBody: true });
    stream.write(Buffer.from("a body"));
    stream.end(["x-last", "1"]);
    expect(await answer.whole).toBe("a body");
    expect(answer.asked).toBe("POST /api/v1/pods?limit=1 a,b");
    expect(answer.trailers).toEqual(["x-last", "1"]);
    const second = await ask(one);
    expect(await second.whole).toBe("");
    // The way is known, and the connection is there.
    expect(one.gateway.tunnels.find("edge")).not.toBeInstanceOf(Promise);
  });

  test("goes no way round where the agent is here too", async () => {
    const { one, agent } = await openPair(echo);
    await (await agent.openAt(one)).openTunnel(echo);
    expect((await one.gateway.tunnels.find("edge")).replica).toBeUndefined();
  });

  test("waits for a reader that stalls, all the way, and harms no other", async () => {
    const { one } = await openPair(echo);
    const stalled = new Answer();
    stalled.isReading = false;
    const stream = (await one.gateway.tunnels.find("edge")).open(get, stalled, { hasBody: true });
    const mebibyte = Buffer.alloc(2 ** 20, "x");
    let written = 0;
    // More than all windows and buffers on the way hold.
    do {
      stream.write(mebibyte);
      written += 1;
      expect(written).toBeLessThan(64);
    } while ((await Promise.race([stalled.drained, delay(300, "stalled")])) !== "stalled");
    expect(await (await ask(one)).whole).toBe("");
    stalled.isReading = true;
    stream.resume();
    stream.end();
    expect((await stalled.whole).length).toBe(written * mebibyte.length);
  });

  test("ends early on either side with the same reason on the other", async () => {
    const { accept, streams, errors } = holding();
    const { one, session } = await openPair(accept);
    const refused = await ask(one);
    await expect.poll(() => streams.length).toBe(1);
    streams[0]?.reset("unreachable", "The API server is gone.");
    await expect(refused.whole).rejects.toMatchObject({
      code: "ConnectionFailed",
      message: "The API server is gone.",
      details: { reset: "unreachable" },
    });
    const given = new Answer();
    (await one.gateway.tunnels.find("edge")).open(get, given).reset("cancelled", "Never mind.");
    await expect.poll(() => errors).toMatchObject([{ code: "Cancelled" }]);
    const lost = await ask(one);
    await expect.poll(() => streams.length).toBe(3);
    session.http2.destroy();
    await expect(lost.whole).rejects.toMatchObject({ code: "TunnelLost" });
  });

  test("is forwarded once only, and tells who asked that it was never begun", async () => {
    const { one, two, agent } = await openPair();
    await (await agent.openAt(one)).openTunnel(echo);
    // The second has a session, but no tunnel; the first has one, to which the second must not lead back.
    const tokens = new ReplicaTokens({ secret: replicaSecret, self: one.owner, clock: systemClock });
    const peer = await callPeer(two, await tokens.sign(two.owner));
    const answer = new Answer();
    peer.open({ ...get, path: forwardedPath("edge", "/api") }, answer);
    await expect(answer.whole).rejects.toMatchObject({ details: { reset: "refused" } });
    const nowhere = new Answer();
    peer.open(get, nowhere);
    await expect(nowhere.whole).rejects.toMatchObject({ code: "ProtocolViolation" });
    peer.close();
  });
});

const replicaSecret = Buffer.alloc(32, "known to replicas only");

async function callPeer({ url, ca: caPem }: GatewayHarness, token: string): Promise<TunnelConnection> {
  const channel = await dialReplica({ url, caPem, token, signal: AbortSignal.timeout(10_000) });
  return new TunnelConnection(channel, { clock: systemClock });
}

describe("who is asked", () => {
  test("follows the agent, told or not", async () => {
    const { bus, one, two, agent, session } = await openPair(echo);
    const three = await openTestGateway({ store: one.store, openAnnouncements: bus.open });
    expect((await one.gateway.tunnels.find("edge")).replica).toBe(two.owner);

    const moved = await agent.openAt(three);
    await moved.openTunnel(echo);
    session.leave();
    await expect.poll(() => bus.sent.at(-1)).toMatchObject({ event: "lost", replica: two.owner });
    expect((await one.gateway.tunnels.find("edge")).replica).toBe(three.owner);

    // Nobody is told any more: who is asked in vain says so.
    bus.fail();
    const back = await agent.openAt(two);
    await back.openTunnel(echo);
    moved.leave();
    await isWrittenDown(one);
    await expect
      .poll(async () => {
        const answer = await ask(one);
        return answer.whole.catch((error: BowlineError) => error.details?.["reset"]);
      })
      .toBe("");
    expect((await one.gateway.tunnels.find("edge")).replica).toBe(two.owner);
    bus.recover();
    expect((await one.gateway.tunnels.find("edge")).replica).toBe(two.owner);
  });

  test("is nobody when the agent is nowhere, or its replica does not answer", async () => {
    const { one, session, bus } = await openPair(echo);
    session.leave();
    await expect.poll(() => bus.sent.at(-1)).toMatchObject({ event: "lost" });
    await isWrittenDown(one, 0);
    await expect(one.gateway.tunnels.find("edge")).rejects.toMatchObject({ code: "AgentOffline" });

    const { store } = one;
    await store.leases.tryAcquire("gateway/dead", "dead", 60_000);
    await store.agents.replicas.register({
      id: "dead",
      lease: "gateway/dead",
      url: "https://127.0.0.1:1",
      agentUrls: [],
    });
    const { metadata } = await one.cluster("edge");
    const row = { id: "s", clusterId: metadata.id, lease: "gateway/dead", openedAtMs: 1 };
    await store.agents.sessions.open([row]);
    await expect(one.gateway.tunnels.find("edge")).rejects.toMatchObject({ code: "AgentOffline" });
  });
});

describe("a replica that stops", () => {
  test("lets what is under way end, and leads nobody to itself", async () => {
    const { accept, streams } = holding();
    const { one, two, agent } = await openPair(accept);
    const running = await ask(one);
    await expect.poll(() => streams.length).toBe(1);
    const closed = two.gateway.close(10_000, new AbortController().signal);
    await expect
      .poll(async () => (await one.store.agents.replicas.list()).map(({ id }) => id))
      .toEqual([one.owner]);
    await expect
      .poll(async () => Promise.resolve(one.gateway.tunnels.find("edge")).catch(() => "offline"))
      .toBe("offline");
    const moved = await agent.openAt(one);
    await moved.openTunnel(echo);
    expect(await (await ask(one)).whole).toBe("");
    streams[0]?.sendHeaders({ status: 200, headers: [] });
    streams[0]?.write(Buffer.from("late, but whole"));
    streams[0]?.end();
    expect(await running.whole).toBe("late, but whole");
    await closed;
  });

  test("waits for what it has asked of others", async () => {
    const { accept, streams } = holding();
    const { one } = await openPair(accept);
    const running = await ask(one);
    await expect.poll(() => streams.length).toBe(1);
    const closed = one.gateway.close(10_000, new AbortController().signal);
    streams[0]?.sendHeaders({ status: 200, headers: [] });
    streams[0]?.end();
    expect(await running.whole).toBe("");
    await closed;
    await expect((async () => one.gateway.tunnels.find("edge"))()).rejects.toMatchObject({
      code: "AgentOffline",
    });
  });
});

describe("a replica that was taken for dead", () => {
  test("lets the others know that it is back, as soon as the database lets it", async () => {
    const clock = new ManualClock(Date.now());
    const { store, owner } = await openTestGateway({ clock, openAnnouncements: new AnnouncementBus().open });
    const { replicas } = store.agents;
    const register = vi.spyOn(replicas, "register").mockRejectedValueOnce(new Error("The database is away."));
    await replicas.remove(owner);
    await expect
      .poll(async () => {
        await clock.advance(5_000);
        return (await replicas.list()).map(({ id }) => id);
      })
      .toEqual([owner]);
    expect(register.mock.calls.length).toBeGreaterThan(1);
  });
});

describe("agents", () => {
  test("are told of other replicas, and not welcomed twice by one", async () => {
    const { one, two, agent, session } = await openPair();
    expect(session.welcome.otherReplicas).toEqual([one.url]);
    await expect(agent.openAt(two, { otherReplica: two.owner })).rejects.toMatchObject({ code: "Conflict" });
    const second = await agent.openAt(one, { otherReplica: two.owner });
    expect(second.welcome).toMatchObject({ replica: one.owner, otherReplicas: [two.url] });
  });

  test("hear of those that come and go later, with a heartbeat", async () => {
    const clock = new ManualClock(Date.now());
    const bus = new AnnouncementBus();
    const one = await openTestGateway({ clock, openAnnouncements: bus.open });
    const session = await (await one.joinedAgent("edge")).open({ nowMs: clock.now() });
    expect(session.welcome.otherReplicas).toEqual([]);
    const two = await openTestGateway({ clock, store: one.store, openAnnouncements: bus.open });
    const hears = async (): Promise<readonly string[]> => {
      const timePasses = setInterval(() => void clock.advance(1_000), 5);
      try {
        for (;;) {
          const message = await session.next();
          if (message.case === "replicas") return message.value.others;
        }
      } finally {
        clearInterval(timePasses);
      }
    };
    expect(await hears()).toEqual([two.url]);
    await two.close();
    expect(await hears()).toEqual([]);
  });
});

describe("replicas know each other", () => {
  test("by a token that is made for one call at one of them", async () => {
    const { one, two, agent } = await openPair();
    const options = { secret: replicaSecret, self: one.owner, clock: systemClock };
    const tokens = new ReplicaTokens(options);
    const strange = new ReplicaTokens({ ...options, secret: Buffer.alloc(32) });
    const late = new ReplicaTokens({ ...options, clock: { now: () => Date.now() - 120_000 } });
    const early = new ReplicaTokens({ ...options, clock: { now: () => Date.now() + 120_000 } });
    const good = await tokens.sign(two.owner);
    (await callPeer(two, good)).close();
    for (const token of [
      good,
      await tokens.sign(one.owner),
      await strange.sign(two.owner),
      await late.sign(two.owner),
      await early.sign(two.owner),
      agent.token(),
      "",
    ]) {
      await expect(callPeer(two, token)).rejects.toMatchObject({ code: "Unauthorized" });
    }
    const denied = (await two.audited()).filter(({ outcome }) => outcome === "denied");
    const needed = "The call needs a token that a replica of this installation has made for it.";
    expect(denied.map(({ verb, message }) => `${verb}: ${message}`).toSorted()).toEqual([
      `connect: ${needed}`,
      `connect: ${needed} (3 more times)`,
      expect.stringMatching(/^connect: The clock of the replica that calls is 1\d\d s ahead of this one's;/u),
      expect.stringMatching(/^connect: The clock of the replica that calls is 1\d\d s behind this one's;/u),
      "connect: The token of the replica was used before.",
    ]);
  });

  test("by the CA of the installation", async () => {
    const { cert: caPem } = await makeAuthority(Date.now());
    const { two } = await openPair();
    const signal = AbortSignal.timeout(10_000);
    await expect(dialReplica({ url: two.url, caPem, token: "", signal })).rejects.toThrow(
      /self-signed|issuer/u,
    );
  });
});

test("a request waits for the tunnel of an agent that was just welcomed", async () => {
  const alone = await openTestGateway({});
  const known = await alone.joinedAgent("edge");
  const welcomed = await known.openAt(alone);
  const route = alone.gateway.tunnels.find("edge");
  await welcomed.openTunnel(echo);
  await expect(route).resolves.toMatchObject({ agent: expect.any(String) });
});

describe("a replica that is about to stop", () => {
  test("waits until its agents are connected to another one too", async () => {
    const { two, one, agent } = await openPair();
    let isOver = false;
    const waiting = two.gateway.heldElsewhere(new AbortController().signal).then(() => (isOver = true));
    await agent.openAt(one);
    expect(isOver).toBe(false);
    await waiting;
    await isWrittenDown(one, 2);
  });

  test("waits no longer than it may, and not for agents that it does not have", async () => {
    const { one, two } = await openPair();
    await expect(one.gateway.heldElsewhere(new AbortController().signal)).resolves.toBeUndefined();
    const limit = new AbortController();
    const waiting = two.gateway.heldElsewhere(limit.signal);
    limit.abort();
    await expect(waiting).resolves.toBeUndefined();
  });

  test("waits for nobody where there is no other one", async () => {
    const alone = await openTestGateway({});
    const agent = await alone.joinedAgent("edge");
    await agent.openAt(alone);
    await expect(alone.gateway.heldElsewhere(new AbortController().signal)).resolves.toBeUndefined();
  });
});
