import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";

import { Cluster } from "@bowline/api";
import { BowlineError, systemClock } from "@bowline/core";
import {
  dialSocketTunnel,
  sessionHeader,
  TunnelConnection,
  tunnelProtocol,
  type AcceptStream,
  type StreamHandler,
} from "@bowline/protocol";
import { describe, expect, onTestFinished, test } from "vitest";

import { openTestGateway } from "../testing/gateway-harness.ts";
import type { TestAgent, TestEndpoint } from "../testing/test-agent.ts";

/** Answers every request with a text. */
function saying(text: string): AcceptStream {
  return (stream) => {
    stream.sendHeaders({ status: 200, headers: [] });
    stream.write(Buffer.from(text));
    stream.end();
    return { data: () => true, end: () => {}, error: () => {} };
  };
}

/** Answers nothing. */
const silent: AcceptStream = () => ({ data: () => true, end: () => {}, error: () => {} });

/** A connection that is to carry a tunnel. */
async function secureSocket({ url, ca }: TestEndpoint): Promise<TLSSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ca, ALPNProtocols: [tunnelProtocol] });
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "secureConnect");
  return socket;
}

const get = { method: "GET", path: "/", headers: [] };

/** A handler that gathers the answer. */
function gathering(): { handler: StreamHandler; answer: Promise<string> } {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  const handler: StreamHandler = {
    data: (chunk) => {
      text += String(chunk);
      return true;
    },
    end: () => resolve(text),
    error: reject,
  };
  return { handler, answer: promise };
}

describe("a tunnel", () => {
  test("carries what is asked of its cluster, also on a connection of its own", async () => {
    const harness = await openTestGateway();
    const agent = await harness.joinedAgent("edge");
    const session = await agent.open({ instance: `pod-1\n${"x".repeat(100)}` });
    const { tunnels } = harness.gateway;
    await expect(tunnels.find("edge")).rejects.toMatchObject({ code: "AgentOffline" });
    await session.openTunnel(saying("here"), await agent.connect());
    const { handler, answer } = gathering();
    const route = await tunnels.find("edge");
    route.open(get, handler);
    expect(await answer).toBe("here");
    // The name that an agent gives itself ends up in logs.
    expect(route.agent).toBe(`${agent.identity?.agentId}/pod-1${"x".repeat(59)}`);
  });

  test("counts what goes through it, and what went through those before it", async () => {
    const harness = await openTestGateway();
    const agent = await harness.joinedAgent("edge");
    const session = await agent.open();
    const tunnel = await session.openTunnel(saying("x".repeat(5_000)), await agent.connect());
    const { handler, answer } = gathering();
    (await harness.gateway.tunnels.find("edge")).open(get, handler);
    await answer;
    const figures = () => harness.gateway.sessions("edge")[0]?.figures;
    expect(figures()).toMatchObject({ tunnels: 1, streams: 0, heldBytes: 0 });
    const { receivedBytes = 0, sentBytes = 0 } = figures() ?? {};
    expect(receivedBytes).toBeGreaterThan(5_000);
    expect(sentBytes).toBeGreaterThan(0);
    expect(sentBytes).toBeLessThan(1_000);
    tunnel.close();
    await expect.poll(() => figures()?.tunnels).toBe(0);
    expect(figures()?.receivedBytes).toBeGreaterThanOrEqual(receivedBytes);
    expect(harness.gateway.sessions()).toHaveLength(1);
    expect(harness.gateway.sessions("other")).toEqual([]);
    session.leave();
    await expect.poll(() => harness.gateway.endedSessions("edge")).toMatchObject([{ end: "left" }]);
  });

  test("shares with the others of its cluster what may wait for clients that do not read", async () => {
    const harness = await openTestGateway();
    const agent = await harness.joinedAgent("edge");
    const session = await agent.open();
    const window = Buffer.alloc(262_144);
    const flooding: AcceptStream = (stream, head, hasBody) => {
      stream.sendHeaders({ status: 200, headers: [] });
      stream.write(window);
      return silent(stream, head, hasBody);
    };
    for (let opened = 0; opened < 2; opened++) await session.openTunnel(flooding, await agent.connect());
    const failed = Promise.withResolvers<BowlineError>();
    const handler: StreamHandler = { data: () => false, end: () => {}, error: failed.resolve };
    // More than both may hold, but not more than one.
    for (let asked = 0; asked < 300; asked++) (await harness.gateway.tunnels.find("edge")).open(get, handler);
    expect(await failed.promise).toMatchObject({ code: "TooManyRequests" });
  });

  test("may have a connection that carries nothing else", async () => {
    const harness = await openTestGateway();
    const agent = await harness.joinedAgent("edge");
    const session = await agent.open();
    const headers = { authorization: `Bearer ${agent.token()}`, [sessionHeader]: session.id };
    const socket = await secureSocket(harness);
    const channel = await dialSocketTunnel(socket, { headers, signal: AbortSignal.timeout(10_000) });
    const tunnel = new TunnelConnection(channel, { clock: systemClock, accept: saying("over here") });
    const { handler, answer } = gathering();
    (await harness.gateway.tunnels.find("edge")).open(get, handler);
    expect(await answer).toBe("over here");
    session.leave();
    if (!socket.closed) await once(socket, "close");
    expect(tunnel.state).toBe("closed");
    await expect(harness.gateway.tunnels.find("edge")).rejects.toMatchObject({ code: "AgentOffline" });
  });

  test.each([
    ["of nobody known", () => "nonsense", "Unauthorized"],
    ["without a session", (agent: TestAgent) => agent.token(), "Conflict"],
  ])("on such a connection, %s, is refused", async (_, tokenOf, code) => {
    const harness = await openTestGateway();
    const agent = await harness.joinedAgent("edge");
    const socket = await secureSocket(harness);
    const signal = AbortSignal.timeout(10_000);
    const headers = { authorization: `Bearer ${tokenOf(agent)}` };
    const dialling = dialSocketTunnel(socket, { headers, signal });
    await expect(dialling).rejects.toMatchObject({ code });
  });

  test.each(["GET / HTTP/1.1", "GET /other HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: bowline-tunnel/1"])(
    "such a connection is for nothing else: %j ends it",
    async (head) => {
      const socket = await secureSocket(await openTestGateway());
      socket.resume().write(`${head}\r\nHost: a\r\n\r\n`);
      await once(socket, "close");
      expect(socket.bytesRead).toBeLessThan(1_000);
    },
  );

  test("needs a session of the same agent", async () => {
    const harness = await openTestGateway();
    const [one, other] = [await harness.joinedAgent("one"), await harness.joinedAgent("other")];
    const [session, others] = [await one.open(), await other.open()];
    // On the connection of another agent's session, and with its name.
    await expect(session.openTunnel(silent, others.http2)).resolves.toBeDefined();
    Object.assign(session, { id: others.id });
    await expect(session.openTunnel(silent, await one.connect())).rejects.toMatchObject({ code: "Conflict" });
    await expect(harness.gateway.tunnels.find("other")).rejects.toMatchObject({ code: "AgentOffline" });
  });

  test("ends with its session", async () => {
    const harness = await openTestGateway();
    const session = await (await harness.joinedAgent("edge")).open();
    const tunnel = await session.openTunnel(silent);
    const { handler, answer } = gathering();
    (await harness.gateway.tunnels.find("edge")).open(get, handler);
    session.leave();
    await expect(answer).rejects.toMatchObject({ code: "TunnelLost" });
    await expect.poll(() => tunnel.state).toBe("closed");
  });

  test("is one of a few", async () => {
    const harness = await openTestGateway();
    const session = await (await harness.joinedAgent("edge")).open();
    for (let count = 0; count < 8; count++) await session.openTunnel(silent);
    await expect(session.openTunnel(silent)).rejects.toMatchObject({ code: "TooManyRequests" });
  });

  test("gets the next request when it has the fewest and takes new ones", async () => {
    const harness = await openTestGateway();
    const agent = await harness.joinedAgent("edge");
    const [one, two] = [await agent.open({ instance: "one" }), await agent.open({ instance: "two" })];
    await one.openTunnel(silent);
    await two.openTunnel(silent);
    const { tunnels } = harness.gateway;
    const openOne = async (): Promise<string> => {
      const route = await tunnels.find("edge");
      route.open(get, { data: () => true, end: () => {}, error: () => {} });
      return route.agent.split("/")[1] ?? "";
    };
    const used = [await openOne(), await openOne(), await openOne(), await openOne()];
    expect(used.toSorted()).toEqual(["one", "one", "two", "two"]);
    one.send({ message: { case: "draining", value: { reason: "rollout", withinMs: 1_000 } } });
    await one.beat();
    expect([await openOne(), await openOne()]).toEqual(["two", "two"]);
  });
});

describe("a cluster without an agent", () => {
  test("is told from one that does not exist, with when the agent was last seen", async () => {
    const harness = await openTestGateway();
    const { tunnels } = harness.gateway;
    await expect(tunnels.find("nowhere")).rejects.toMatchObject({ code: "NotFound" });
    await harness.createCluster("edge");
    await expect(tunnels.find("edge")).rejects.toMatchObject({
      code: "AgentOffline",
      message: expect.stringContaining("has never been seen"),
    });
    const lastSeenAt = "2026-01-01T00:00:00.000Z";
    await harness.store.objects.writeStatus(Cluster, "edge", ({ status }) => ({
      ...status,
      agent: { version: "1.0", lastSeenAt },
    }));
    const failure = await Promise.resolve(tunnels.find("edge")).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BowlineError);
    expect(failure).toMatchObject({ details: { lastSeenAt } });
  });
});
