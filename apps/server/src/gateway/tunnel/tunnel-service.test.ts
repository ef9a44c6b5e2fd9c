import { Cluster } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import type { AcceptStream, StreamHandler } from "@bowline/protocol";
import { describe, expect, test } from "vitest";

import { eventually } from "../testing/eventually.ts";
import { openTestGateway } from "../testing/gateway-harness.ts";

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
    const session = await agent.open();
    const { tunnels } = harness.gateway;
    await expect(tunnels.find("edge")).rejects.toMatchObject({ code: "AgentOffline" });
    await session.openTunnel(saying("here"), await agent.connect());
    const { handler, answer } = gathering();
    const route = await tunnels.find("edge");
    route.open(get, handler);
    expect(await answer).toBe("here");
    expect(route.agent).toBe(`${agent.identity?.agentId}/pod-1`);
  });

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
    await eventually(() => tunnel.state).toBe("closed");
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
