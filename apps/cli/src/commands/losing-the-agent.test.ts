import { expect, test } from "vitest";

import { AgentBench } from "../testing/agent-bench.ts";
import { startFakeApiServer } from "../testing/fake-api-server.ts";
import { beginWork, cleanErrors } from "../testing/work-under-way.ts";

/** What the server has open for agents and for requests through them. */
const inUse = {
  bowline_agent_connections: 0,
  bowline_agent_sessions: 0,
  bowline_agent_tunnels: 0,
  bowline_tunnel_held_bytes: 0,
  bowline_tunnel_streams: 0,
  'bowline_proxy_open{type="request"}': 0,
  'bowline_proxy_open{type="stream"}': 0,
  'bowline_proxy_open{type="upgrade"}': 0,
};

async function figures(bench: AgentBench): Promise<Record<string, number>> {
  const all = await bench.metrics("bowline_");
  return Object.fromEntries(Object.keys(inUse).map((name) => [name, all[name] ?? Number.NaN]));
}

/** Sockets that this process has open, the server's among them. */
function sockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
}

test("an agent that is killed ends a watch, an upload and an exec at once, leaves nothing, and comes back", async () => {
  const [bench, cluster] = await Promise.all([AgentBench.open(), startFakeApiServer()]);
  expect(await figures(bench)).toEqual(inUse);
  const socketsBefore = sockets();
  const agent = await bench.spawnAgent(cluster.kubeconfig, { joinToken: await bench.newJoinToken() });
  await bench.reachable(true);
  const { ends } = await beginWork(bench, cluster);
  expect(await figures(bench)).toMatchObject({
    bowline_agent_sessions: 1,
    bowline_tunnel_streams: 3,
    'bowline_proxy_open{type="stream"}': 1,
    'bowline_proxy_open{type="upgrade"}': 1,
  });

  agent.kill("SIGKILL");
  expect(await ends).toEqual(cleanErrors);

  const offline = await bench.get("/clusters/edge/version");
  expect(offline).toMatchObject({
    status: 503,
    body: {
      kind: "Status",
      reason: "AgentOffline",
      message: expect.stringMatching(
        /^The agent of the cluster edge is not connected; it was last seen at 2/u,
      ),
    },
  });
  await expect.poll(() => figures(bench)).toEqual(inUse);
  await expect.poll(() => cluster.connections()).toBe(0);
  await expect.poll(() => sockets()).toBeLessThanOrEqual(socketsBefore);

  const again = await bench.spawnAgent(cluster.kubeconfig);
  await bench.reachable(true);
  again.kill("SIGTERM");
  expect(await again.exited).toBe(0);
});
