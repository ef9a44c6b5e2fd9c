import { duplexPair } from "node:stream";
import { text } from "node:stream/consumers";

import { BowlineError, systemClock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { KubeClient, resources, watch } from "@bowline/kube";
import { startKubesim } from "@bowline/kubesim";
import { duplexChannel, TunnelConnection, type AcceptStream, type RequestHead } from "@bowline/protocol";
import { describe, expect, onTestFinished, test } from "vitest";

import type { ClusterTunnels } from "./cluster-tunnels.ts";
import { agentSide } from "../testing/agent-side.ts";
import { ClusterTransport, type ClusterTransportOptions } from "./cluster-transport.ts";

/** A tunnel in memory to an agent that answers so. */
function tunnelTo(accept: AcceptStream): {
  tunnels: ClusterTunnels;
  tunnel: TunnelConnection;
  agent: TunnelConnection;
} {
  const [serverSide, agentEnd] = duplexPair();
  const tunnel = new TunnelConnection(duplexChannel(serverSide), { clock: systemClock });
  const agent = new TunnelConnection(duplexChannel(agentEnd), { clock: systemClock, accept });
  onTestFinished(() => {
    tunnel.close();
    agent.close();
  });
  const route = { agent: "test", open: tunnel.open.bind(tunnel) };
  return { tunnels: { find: () => route }, tunnel, agent };
}

function transportOver(
  tunnels: ClusterTunnels,
  options: Partial<ClusterTransportOptions> = {},
): ClusterTransport {
  const transport = new ClusterTransport({ tunnels, cluster: "edge", clock: systemClock, ...options });
  onTestFinished(() => transport.close());
  return transport;
}

/** An agent whose cluster never says anything. */
const silent: AcceptStream = () => ({ data: () => true, end: () => {}, error: () => {} });

describe("the transport of the server's own client", () => {
  test("reaches the API server of a cluster: writes, reads and watches", async () => {
    const sim = await startKubesim({ tls: false });
    onTestFinished(() => sim.stop());
    const { tunnels, tunnel } = tunnelTo(agentSide(Number(new URL(sim.url).port), sim.adminToken));
    const transport = transportOver(tunnels);
    const client = new KubeClient(transport);
    const events = watch(transport, resources.configMaps, { namespace: "default" });
    const made = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "told", namespace: "default" } };
    await client.create(resources.configMaps, { ...made, data: { a: "b" } });
    expect(await client.get(resources.configMaps, { namespace: "default", name: "told" })).toMatchObject({
      data: { a: "b" },
    });
    for await (const event of events) {
      if (event.type !== "BOOKMARK" && event.object.metadata.name === "told") break;
    }
    await expect.poll(() => tunnel.streams).toBe(0);
  });

  test("sends what it is made with, and a body with its length", async () => {
    const heads: RequestHead[] = [];
    const { tunnels } = tunnelTo((stream, head) => {
      heads.push(head);
      stream.sendHeaders({ status: 103, headers: [] });
      stream.sendHeaders({ status: 201, headers: ["X-A", "1", "x-a", "2"] });
      return {
        data: (chunk) => stream.write(chunk),
        end: () => stream.end(),
        error: () => {},
      };
    });
    const transport = transportOver(tunnels);
    const over: unknown[] = [];
    const answer = await transport.send(
      { method: "POST", path: "/api", headers: { accept: "x" }, body: "öl" },
      {
        headers: ["impersonate-group", "a", "impersonate-group", "b"],
        onOver: (result) => over.push(result),
      },
    );
    expect(answer).toMatchObject({ status: 201, headers: { "x-a": "1, 2" } });
    expect(await text(answer.body)).toBe("öl");
    expect(heads[0]).toMatchObject({
      method: "POST",
      path: "/api",
      headers: ["accept", "x", "impersonate-group", "a", "impersonate-group", "b", "content-length", "3"],
    });
    expect(over).toEqual([{ status: 201, requestBytes: 3, answerBytes: 3, error: undefined }]);
  });

  test("says that the agent is not connected", async () => {
    const offline = new BowlineError("AgentOffline", "Gone.");
    const transport = transportOver({ find: () => Promise.reject(offline) });
    await expect(transport.request({ method: "GET", path: "/" })).rejects.toBe(offline);
  });

  test("takes another tunnel when the first goes away between being found and being used", async () => {
    const { tunnels, agent } = tunnelTo((stream) => {
      stream.sendHeaders({ status: 204, headers: [] });
      stream.end();
      return { data: () => true, end: () => {}, error: () => {} };
    });
    const gone = {
      agent: "gone",
      open: () => {
        throw new BowlineError("TunnelDraining", "Leaving.");
      },
    };
    const routes = [gone];
    const transport = transportOver({ find: (name) => routes.pop() ?? tunnels.find(name) });
    expect(await transport.request({ method: "GET", path: "/" })).toMatchObject({ status: 204 });
    await expect.poll(() => agent.streams).toBe(0);
  });

  test("gives up when the signal aborts, before the answer and in the middle of it", async () => {
    const reasons: unknown[] = [];
    const { tunnels, agent } = tunnelTo((stream, { path }) => {
      if (path === "/begun") stream.sendHeaders({ status: 200, headers: [] });
      return {
        data: () => true,
        end: () => {},
        error: (error) => void reasons.push(error.details?.["reset"]),
      };
    });
    const transport = transportOver(tunnels);
    const stop = new AbortController();
    const { signal } = stop;
    const waiting = transport.request({ method: "GET", path: "/", signal });
    const begun = await transport.request({ method: "GET", path: "/begun", signal });
    stop.abort(new BowlineError("Cancelled", "Enough."));
    await expect(waiting).rejects.toThrow("Enough.");
    await expect(text(begun.body)).rejects.toThrow("Enough.");
    await expect(transport.request({ method: "GET", path: "/", signal })).rejects.toThrow("Enough.");
    await expect.poll(() => reasons).toEqual(["cancelled", "cancelled"]);
    expect(agent.streams).toBe(0);
  });

  test("has a limit for the head of an answer and for silence in it, but not in a stream", async () => {
    const clock = new ManualClock();
    const { tunnels } = tunnelTo((stream, { path }) => {
      if (path !== "/") stream.sendHeaders({ status: 200, headers: [] });
      return { data: () => true, end: () => {}, error: () => {} };
    });
    const transport = transportOver(tunnels, { clock, headersTimeoutMs: 1_000, bodyTimeoutMs: 500 });
    const late = transport.request({ method: "GET", path: "/" });
    const failure = late.catch((error: unknown) => error);
    const quiet = await transport.request({ method: "GET", path: "/a" });
    const stream = await transport.request({ method: "GET", path: "/a", longLived: true });
    await clock.advance(1_000);
    expect(await failure).toMatchObject({ code: "Timeout" });
    await expect(text(quiet.body)).rejects.toThrow("fell silent");
    expect(stream.body.destroyed).toBe(false);
  });

  test("ends everything under way when it is closed, and what the tunnel loses is told", async () => {
    const { tunnels, tunnel } = tunnelTo(silent);
    const transport = transportOver(tunnels);
    const waiting = transport.request({ method: "GET", path: "/" });
    await expect.poll(() => tunnel.streams).toBe(1);
    await transport.close();
    await expect(waiting).rejects.toMatchObject({ code: "Cancelled" });
    await expect(transport.request({ method: "GET", path: "/" })).rejects.toMatchObject({
      code: "Cancelled",
    });
    const other = transportOver(tunnels).request({ method: "GET", path: "/" });
    await expect.poll(() => tunnel.streams).toBe(1);
    tunnel.close();
    await expect(other).rejects.toMatchObject({ code: "TunnelLost" });
  });
});
