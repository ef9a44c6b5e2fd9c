import { startKubesim } from "@bowline/kubesim";
import { FaultyNetwork } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import { AgentBench, answerTo, healthPage } from "../testing/agent-bench.ts";
import { startFakeApiServer } from "../testing/fake-api-server.ts";
import { openEcho } from "../testing/work-under-way.ts";

const edge = "/api/v1/clusters/edge";

test("what spec.agent says reaches a running agent, and one that was away, and a wrong value is refused", async () => {
  const [bench, cluster] = await Promise.all([AgentBench.open(), startFakeApiServer()]);
  const network = await FaultyNetwork.start(bench.port);
  onTestFinished(() => network[Symbol.asyncDispose]());
  const agent = await bench.startAgent(cluster.kubeconfig, {
    joinToken: await bench.newJoinToken(),
    flags: ["--log-format", "text", "--servers", `https://127.0.0.1:${network.port}`],
  });
  await bench.reachable(true);
  const configured = (): number => agent.terminal.errors.split("Configured by the server").length - 1;
  await expect.poll(configured).toBe(1);

  const set = (settings: object) => bench.patch(edge, { spec: { agent: settings } });
  const socket = await openEcho(bench);
  expect((await set({ logLevel: "error", limits: { maxStreams: 1 } })).status).toBe(200);
  await expect
    .poll(() => bench.get("/clusters/edge/version"))
    .toMatchObject({
      status: 429,
      body: { reason: "TooManyRequests" },
    });
  socket.destroy();
  await bench.reachable(true);

  // An agent that logs errors only does not tell that it has connected again, still with what it was told.
  const told = agent.terminal.errors;
  network.cut();
  await bench.reachable(false);
  await bench.reachable(true);
  const again = await openEcho(bench);
  expect((await bench.get("/clusters/edge/version")).status).toBe(429);
  again.destroy();
  expect(agent.terminal.errors).toBe(told);

  network.cut();
  expect((await set({ logLevel: "info", limits: null })).status).toBe(200);
  await expect.poll(configured).toBe(2);
  await bench.reachable(true);

  expect(await set({ logLevel: "loud" })).toMatchObject({ status: 422 });
  expect(await set({ limits: { maxStreams: 0 } })).toMatchObject({ status: 422 });
});

test("of two agents of a cluster, both serve it and one reports", async () => {
  const cluster = await startKubesim({ controllers: false });
  onTestFinished(() => cluster.stop());
  const bench = await AgentBench.open();
  const flags = ["--lease-namespace", "default"];
  const one = await bench.startAgent(cluster.kubeconfig(), { joinToken: await bench.newJoinToken(), flags });
  const two = await bench.startAgent(cluster.kubeconfig(), { flags });
  await expect.poll(() => bench.metrics("bowline_agent_tunnels")).toEqual({ bowline_agent_tunnels: 2 });
  const reporters = async (): Promise<boolean[]> => {
    const pages = await Promise.all(
      [one, two].map(({ terminal }) => healthPage(terminal.written, "metrics").catch(() => "")),
    );
    return pages.map((page) => page.includes("\nbowline_agent_is_reporter 1\n"));
  };
  await expect.poll(reporters).toEqual([true, false]);
  expect((await one.stop()).code).toBe(0);
  expect((await bench.get("/clusters/edge/version")).status).toBe(200);
  await expect.poll(reporters).toEqual([false, true]);
  expect((await answerTo(bench.request("/clusters/edge/version").end())).status).toBe(200);
});
