import { once } from "node:events";

import { FaultyNetwork } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import { AgentBench, healthPage, metricsIn } from "../testing/agent-bench.ts";
import { startFakeApiServer } from "../testing/fake-api-server.ts";
import { beginWork, cleanErrors, openEcho } from "../testing/work-under-way.ts";

test("a connection that is cut ends a watch, an upload and an upgrade, and is made again", async () => {
  const [bench, cluster] = await Promise.all([AgentBench.open(), startFakeApiServer()]);
  const network = await FaultyNetwork.start(bench.port);
  onTestFinished(() => network[Symbol.asyncDispose]());
  const flags = ["--servers", `https://127.0.0.1:${network.port}`];
  const agent = await bench.startAgent(cluster.kubeconfig, { joinToken: await bench.newJoinToken(), flags });
  await bench.reachable(true);

  const { ends } = await beginWork(bench, cluster);
  network.cut();
  expect(await ends).toEqual(cleanErrors);
  // The agent has let go of the cluster as well.
  await expect.poll(() => cluster.requests.size).toBe(0);
  const { written } = agent.terminal;
  await expect
    .poll(async () => metricsIn(await healthPage(written, "metrics"), "bowline_agent_"))
    .toMatchObject({ bowline_agent_streams: 0, bowline_agent_held_bytes: 0, bowline_agent_sessions: 1 });

  await bench.reachable(true);
  expect((await agent.stop()).code).toBe(0);
  expect(network.connections).toBe(0);
  await expect.poll(() => cluster.connections()).toBe(0);
});

test("an agent that is stopped finishes what is under way", async () => {
  const [bench, cluster] = await Promise.all([AgentBench.open(), startFakeApiServer()]);
  const agent = await bench.startAgent(cluster.kubeconfig, { joinToken: await bench.newJoinToken() });
  await bench.reachable(true);
  const socket = await openEcho(bench);
  const stopped = agent.stop();
  await bench.reachable(false);
  socket.write("still there");
  expect(String(await once(socket, "data"))).toBe("still there");
  socket.end();
  expect((await stopped).code).toBe(0);
});
