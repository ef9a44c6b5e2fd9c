import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

import { expect, test } from "vitest";

import { AgentBench, answerTo, responseTo } from "./testing/agent-bench.ts";
import { startFakeApiServer } from "./testing/fake-api-server.ts";
import { relayTo } from "./testing/tcp-relay.ts";

test("a connection that is cut ends a watch, an upload and an upgrade, and is made again", async () => {
  const [bench, cluster] = await Promise.all([AgentBench.open(), startFakeApiServer()]);
  const { relay, port } = await relayTo(bench.port);
  const flags = ["--servers", `https://127.0.0.1:${port}`];
  const agent = await bench.startAgent(cluster.kubeconfig, { joinToken: await bench.newJoinToken(), flags });
  await bench.reachable(true);

  const watching = await responseTo(bench.request("/clusters/edge/api/v1/pods?watch=1").end());
  await once(watching, "data");
  const upload = bench.request("/clusters/edge/api/v1/namespaces/a/pods/b/proxy/c", { method: "POST" });
  upload.write("x".repeat(100_000));
  const uploading = answerTo(upload);
  const exec = bench.request("/clusters/edge/api/v1/namespaces/a/pods/b/exec", {
    method: "POST",
    headers: { connection: "Upgrade", upgrade: "echo" },
  });
  const [, socket] = (await once(exec.end(), "upgrade")) as [IncomingMessage, Socket];
  socket.write("hello");
  expect(String(await once(socket, "data"))).toBe("hello");
  await expect.poll(() => cluster.requests.size).toBe(2);

  const ends = Promise.all([
    once(watching, "error").then(([error]: Error[]) => error?.message),
    uploading.then(({ status, body }) => [status, body["reason"]]),
    once(socket, "close").then(() => "closed"),
  ]);
  relay.cut();
  expect(await ends).toEqual(["aborted", [502, "TunnelLost"], "closed"]);
  // The agent has let go of the cluster as well.
  await expect.poll(() => cluster.requests.size).toBe(0);

  await bench.reachable(true);
  expect((await agent.stop()).code).toBe(0);
  expect(relay.sockets.size).toBe(0);
  await expect.poll(() => cluster.connections()).toBe(0);
});

test("an agent that is stopped finishes what is under way", async () => {
  const [bench, cluster] = await Promise.all([AgentBench.open(), startFakeApiServer()]);
  const agent = await bench.startAgent(cluster.kubeconfig, { joinToken: await bench.newJoinToken() });
  await bench.reachable(true);
  const exec = bench.request("/clusters/edge/api/v1/namespaces/a/pods/b/exec", {
    method: "POST",
    headers: { connection: "Upgrade", upgrade: "echo" },
  });
  const [, socket] = (await once(exec.end(), "upgrade")) as [IncomingMessage, Socket];
  const stopped = agent.stop();
  await bench.reachable(false);
  socket.write("still there");
  expect(String(await once(socket, "data"))).toBe("still there");
  socket.end();
  expect((await stopped).code).toBe(0);
});
