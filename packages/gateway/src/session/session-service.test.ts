import { once } from "node:events";

import { Cluster } from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import { FaultyNetwork } from "@bowline/test-services";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { openTestGateway, type GatewayHarness } from "../testing/gateway-harness.ts";
import { TestAgent } from "../testing/test-agent.ts";

const otherUid = "11111111-2222-4333-8444-555555555555";

describe("a session", () => {
  test("is shown in the status of the Cluster", async () => {
    const harness = await openTestGateway();
    const agent = await harness.joinedAgent("edge");
    const session = await agent.open();
    await expect.poll(() => harness.agentReason("edge")).toBe("Connected");
    const { status } = await harness.cluster("edge");
    expect(status).toMatchObject({
      agent: { version: "1.0", connectedSince: expect.any(String), lastSeenAt: expect.any(String) },
      kubernetesVersion: "v1.36.0",
      clusterUid: "0d3f0c2e-7a55-4c8e-9d5b-1a1b2c3d4e5f",
    });
    session.leave();
    expect(await session.ended).toBeUndefined();
    await expect.poll(() => harness.agentReason("edge")).toBe("Disconnected");
    const { agent: gone } = (await harness.cluster("edge")).status;
    expect(gone).not.toHaveProperty("connectedSince");
    await expect
      .poll(async () => {
        const { items } = await harness.store.events.list();
        return items.map(({ type, reason }) => [type, reason]);
      })
      .toEqual([
        ["Warning", "AgentDisconnected"],
        ["Normal", "AgentConnected"],
        ["Normal", "AgentJoined"],
      ]);
  });

  test("that breaks is noticed at once", async () => {
    const harness = await openTestGateway();
    const session = await (await harness.joinedAgent("edge")).open();
    await expect.poll(() => harness.agentReason("edge")).toBe("Connected");
    session.http2.destroy();
    await expect.poll(() => harness.agentReason("edge")).toBe("Disconnected");
    expect((await harness.cluster("edge")).status.agent).not.toHaveProperty("connectedSince");
  });

  test("that ends while it is being written down leaves nothing behind", async () => {
    const harness = await openTestGateway();
    const agent = await harness.joinedAgent("edge");
    const { sessions } = harness.store.agents;
    const [written, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const open = sessions.open.bind(sessions);
    vi.spyOn(sessions, "open").mockImplementationOnce(async (rows) => {
      await open(rows);
      written.resolve();
      await goOn.promise;
    });
    const session = await agent.open();
    await written.promise;
    session.leave();
    await session.ended;
    goOn.resolve();
    await expect.poll(() => harness.agentReason("edge")).toBe("Disconnected");
    const { id } = (await harness.cluster("edge")).metadata;
    expect(await sessions.connectedSince(id)).toBeUndefined();
  });

  test("stays when another one of the same cluster ends", async () => {
    const harness = await openTestGateway();
    const agent = await harness.joinedAgent("edge");
    const old = await agent.open({ instance: "pod-1" });
    await expect.poll(() => harness.agentReason("edge")).toBe("Connected");
    await agent.open({ instance: "pod-2" });
    const since = async () => (await harness.cluster("edge")).status.agent?.connectedSince;
    const before = await since();
    old.http2.destroy();
    await expect.poll(since).not.toBe(before);
    expect(await harness.agentReason("edge")).toBe("Connected");
    const { items } = await harness.store.events.list();
    expect(items.map(({ reason }) => reason)).toEqual(["AgentConnected", "AgentJoined"]);
  });

  test("answers heartbeats, and measures the round trip with its own", async () => {
    const clock = new ManualClock(Date.now());
    const harness = await openTestGateway({ clock });
    const session = await (await harness.joinedAgent("edge")).open({ nowMs: clock.now() });
    await expect
      .poll(async () => {
        await clock.advance(2_000);
        await session.beat();
        return (await harness.cluster("edge")).status.agent?.rttMs;
      })
      .toBeTypeOf("number");
    expect(session.said.map((message) => message.case)).toEqual(["config"]);
  });

  test("ends after three heartbeats without an answer, within 45 s", async () => {
    const clock = new ManualClock(Date.now());
    const harness = await openTestGateway({ clock });
    const session = await (await harness.joinedAgent("edge")).open({ nowMs: clock.now() });
    session.answersHeartbeats = false;
    await session.next();
    let hasEnded = false;
    const ended = session.ended.then(() => (hasEnded = true));
    const pass = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second++) {
        await clock.advance(1_000);
        // Time waits for what the server writes down meanwhile.
        await harness.cluster("edge");
      }
    };
    await pass(43);
    expect(hasEnded).toBe(false);
    await pass(2);
    // Not a second more passes, but the network takes a moment.
    await ended;
    await expect
      .poll(async () => {
        await clock.advance(50);
        return harness.agentReason("edge");
      })
      .toBe("HeartbeatMissed");
  });

  test("whose machine is cut off ends within 45 s, and so does what is under way", async () => {
    const clock = new ManualClock(Date.now());
    const harness = await openTestGateway({ clock });
    const network = await FaultyNetwork.start(Number(new URL(harness.url).port));
    onTestFinished(() => network[Symbol.asyncDispose]());
    const agent = await harness.joinedAgent("edge");
    const endpoint = { url: `https://127.0.0.1:${network.port}`, ca: harness.ca };
    const session = await agent.openAt(endpoint, { nowMs: clock.now() });
    await session.openTunnel(() => ({ data: () => true, end: () => {}, error: () => {} }));
    const { tunnels } = harness.gateway;
    const route = await tunnels.find("edge");
    const lost = Promise.withResolvers<Error>();
    const head = { method: "GET", path: "/api/v1/pods?watch=1", headers: [] };
    route.open(head, { data: () => true, end: () => {}, error: lost.resolve });
    await session.beat();
    const begunMs = clock.now();
    network.swallow();
    let lastedMs: number | undefined;
    void lost.promise.then(() => (lastedMs = clock.now() - begunMs));
    await expect
      .poll(async () => {
        await clock.advance(1_000);
        return lastedMs;
      })
      .toBeDefined();
    expect(await lost.promise).toMatchObject({ code: "TunnelLost" });
    expect(lastedMs).toBeLessThanOrEqual(45_000);
    await expect(tunnels.find("edge")).rejects.toMatchObject({ code: "AgentOffline" });
    await expect
      .poll(async () => {
        await clock.advance(50);
        return harness.agentReason("edge");
      })
      .toBe("HeartbeatMissed");
  });

  test.each<[string, (harness: GatewayHarness, agent: TestAgent) => Promise<unknown>, object]>([
    [
      "a key that was copied to another cluster",
      (_, agent) => agent.open({ clusterUid: otherUid }),
      { code: "Forbidden", message: expect.stringContaining("belongs to an agent in another cluster") },
    ],
    [
      "a token that was used before",
      async (_, agent) => {
        const token = agent.token();
        await agent.open({ token });
        return agent.open({ token });
      },
      { code: "Unauthorized", message: expect.stringContaining("used before") },
    ],
    [
      "a key that was revoked",
      async (harness, agent) => {
        await harness.store.agents.revoke("edge");
        return agent.open();
      },
      { code: "Forbidden", message: expect.stringContaining("was revoked at") },
    ],
    [
      "the key of another agent",
      async (harness, agent) => {
        const stranger = new TestAgent(harness);
        stranger.identity = agent.identity;
        return stranger.open();
      },
      { code: "Unauthorized", message: expect.stringContaining("not signed with the key") },
    ],
  ])("is refused with %s, and the audit says why", async (_, attempt, refusal) => {
    const harness = await openTestGateway();
    const agent = await harness.joinedAgent("edge");
    expect(await auditedRefusal(harness, attempt(harness, agent))).toMatchObject(refusal);
  });

  test("is refused with a clock that is wrong, and the audit says why", async () => {
    const clock = new ManualClock(Date.now());
    const harness = await openTestGateway({ clock });
    const agent = await harness.joinedAgent("edge");
    const attempt = agent.open({ nowMs: clock.now() - 600_000 });
    expect(await auditedRefusal(harness, attempt)).toMatchObject({
      code: "Unauthorized",
      message: expect.stringMatching(/60[01] s behind the server's/u),
    });
  });

  async function auditedRefusal(harness: GatewayHarness, attempt: Promise<unknown>): Promise<unknown> {
    const failure = await attempt.catch((error: unknown) => error);
    const { message } = failure as Error;
    expect(await harness.audited()).toContainEqual(
      expect.objectContaining({ verb: "connect", outcome: "denied", kind: "Cluster", name: "edge", message }),
    );
    return failure;
  }

  test("ends at once when the agent is revoked, and so do its tunnels", async () => {
    const harness = await openTestGateway();
    const agent = await harness.joinedAgent("edge");
    const session = await agent.open();
    const tunnel = await session.openTunnel(() => ({ data: () => true, end: () => {}, error: () => {} }));
    harness.gateway.revoked(await harness.store.agents.revoke("edge"));
    expect(await session.ended).toMatchObject({
      code: "Forbidden",
      message: expect.stringContaining("revoked"),
    });
    await expect.poll(() => tunnel.state).toBe("closed");
    await expect.poll(() => harness.agentReason("edge")).toBe("Revoked");
    await expect(agent.open()).rejects.toMatchObject({ code: "Forbidden" });
  });

  test("ends within a minute when the server that revoked the agent died before it said so", async () => {
    const clock = new ManualClock(Date.now());
    const harness = await openTestGateway({ clock });
    const session = await (await harness.joinedAgent("edge")).open({ nowMs: clock.now() });
    await harness.store.agents.revoke("edge");
    for (let second = 0; second < 61; second++) {
      await clock.advance(1_000);
      await Promise.race([session.beat(), session.ended]);
    }
    expect(await session.ended).toMatchObject({
      code: "Forbidden",
      message: expect.stringContaining("revoked"),
    });
  });

  test("ends when its Cluster is deleted", async () => {
    const harness = await openTestGateway();
    const session = await (await harness.joinedAgent("edge")).open();
    await harness.store.objects.delete(Cluster, "edge");
    expect(await session.ended).toMatchObject({
      code: "Forbidden",
      message: expect.stringContaining("was deleted"),
    });
  });

  test("is told when the server goes away", async () => {
    const harness = await openTestGateway();
    const session = await (await harness.joinedAgent("edge")).open();
    await expect.poll(() => harness.agentReason("edge")).toBe("Connected");
    expect((await session.next()).case).toBe("config");
    const closed = harness.close();
    expect(await session.next()).toMatchObject({ case: "draining" });
    expect(await session.ended).toMatchObject({ code: "TunnelDraining" });
    await closed;
    // It is given the time to connect elsewhere before anybody says that it is gone.
    expect(await harness.agentReason("edge")).toBe("Connected");
  });

  test("cannot be one of too many", async () => {
    const harness = await openTestGateway();
    const agent = await harness.joinedAgent("edge");
    for (let count = 0; count < 16; count++) await agent.open({ instance: `pod-${count}` });
    await expect(agent.open()).rejects.toMatchObject({ code: "TooManyRequests" });
  });
});

test("an agent that comes and goes all the time has to wait", async () => {
  const clock = new ManualClock(Date.now());
  const harness = await openTestGateway({ clock });
  const agent = await harness.joinedAgent("edge");
  const open = () => agent.open({ nowMs: clock.now() });
  for (let round = 0; round < 3; round++) {
    const opened = await Promise.all(Array.from({ length: 10 }, open));
    for (const { http2 } of opened) http2.destroy();
    await Promise.all(opened.map(({ ended }) => ended));
  }
  const refusal = { code: "TooManyRequests", message: "The agent connects too often; try again in 5 s." };
  await expect(open()).rejects.toMatchObject(refusal);
  await clock.advance(5_000);
  await open();
});

describe("the configuration of an agent", () => {
  const setLevel = (harness: GatewayHarness, logLevel: "debug" | "warn") =>
    harness.store.objects.write(Cluster, "edge", (current) => ({
      metadata: { name: "edge", labels: {}, annotations: {} },
      spec: { ...current?.spec, provider: "existing" as const, agent: { logLevel } },
    }));

  test("is sent unless the agent has it, and again when it changes", async () => {
    const harness = await openTestGateway();
    const agent = await harness.joinedAgent("edge");
    const session = await agent.open();
    const first = await session.next();
    expect(first).toMatchObject({ case: "config", value: { logLevel: "info" } });
    await setLevel(harness, "debug");
    const second = await session.next();
    expect(second).toMatchObject({ case: "config", value: { logLevel: "debug" } });
    const configVersion = second.case === "config" ? second.value.version : "";
    session.leave();
    const resumed = await agent.open({ configVersion });
    await setLevel(harness, "warn");
    expect(await resumed.next()).toMatchObject({ case: "config", value: { logLevel: "warn" } });
  });

  test("that an agent cannot apply becomes an event, once", async () => {
    const harness = await openTestGateway();
    const recorded = vi.spyOn(harness.store.events, "record");
    const session = await (await harness.joinedAgent("edge")).open();
    const config = await session.next();
    const version = config.case === "config" ? config.value.version : "";
    session.send({ message: { case: "configApplied", value: { version: "older", problem: "stale" } } });
    session.send({ message: { case: "configApplied", value: { version, problem: "no such kind" } } });
    session.send({ message: { case: "configApplied", value: { version, problem: "and again" } } });
    await session.beat();
    const reasons = recorded.mock.calls.flatMap(([events]) => events.map(({ reason }) => reason));
    expect(reasons.filter((reason) => reason === "AgentConfigRejected")).toHaveLength(1);
    await expect
      .poll(async () => (await harness.store.events.list()).items)
      .toContainEqual(
        expect.objectContaining({
          type: "Warning",
          reason: "AgentConfigRejected",
          message: "The agent pod-1 goes on with its old configuration: no such kind",
          regarding: expect.objectContaining({ kind: "Cluster", name: "edge" }),
        }),
      );
  });
});

describe("a connection", () => {
  test("without an agent that proves itself is closed soon", async () => {
    const clock = new ManualClock(Date.now());
    const harness = await openTestGateway({ clock });
    const http2 = await new TestAgent(harness).connect();
    const closed = once(http2, "close");
    await expect
      .poll(async () => {
        await clock.advance(15_000);
        return http2.closed;
      })
      .toBe(true);
    await closed;
    expect(http2.destroyed).toBe(true);
  });

  test("is told that there is no such call", async () => {
    const harness = await openTestGateway();
    const http2 = await new TestAgent(harness).connect();
    const call = http2.request({ ":method": "POST", ":path": "/bowline.agent.v1.Other/Call" });
    const [headers] = await once(call, "response");
    expect(headers).toMatchObject({ "bowline-code": "NotFound" });
  });
});
