import type { JoinToken } from "@bowline/api";

import { benchCluster, clusterName } from "../api/bench-cluster.ts";
import { forEachAtOnce } from "./for-each-at-once.ts";
import { agentCount, type Stage } from "./stage.ts";

const atOnce = 64;

/** Makes a Cluster for every agent, and has it joined. */
export async function setStage({ context, server, fleet }: Stage): Promise<void> {
  const { api } = server;
  const indexes = Array.from({ length: agentCount }, (_, index) => index);
  context.progress(`creating ${agentCount} Clusters, each with a join token`);
  const tokens: string[] = [];
  await forEachAtOnce(indexes, atOnce, async (index) => {
    await api.post("/api/v1/clusters", benchCluster(index));
    const { token } = await api.post<JoinToken>(`/api/v1/clusters/${clusterName(index)}/join-tokens`, {});
    tokens.push(token);
  });
  context.progress(`${agentCount} agents join`);
  await fleet.join(tokens);
}
