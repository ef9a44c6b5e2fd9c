import { Cluster, type StatusOf } from "@bowline/api";
import {
  done,
  setCondition,
  summarize,
  TerminalError,
  type Condition,
  type ConditionUpdate,
  type ReconcileResult,
} from "@bowline/runtime";

import { objectController } from "./object-controller.ts";
import type { ObjectTask } from "./object-task.ts";

type Statement = Pick<ConditionUpdate, "status" | "reason" | "message">;
type ClusterStatus = StatusOf<typeof Cluster>;
type ClusterTask = Pick<ObjectTask<typeof Cluster>, "nowMs" | "updateStatus" | "removeFinalizer">;

/** Provisions clusters and says how they stand. */
export const clusterController = objectController({
  kind: Cluster,

  async reconcile(cluster: Cluster, task: ClusterTask): Promise<ReconcileResult> {
    if (cluster.metadata.deletedAt !== undefined) return deprovision(task);
    const provisioned = provisionedStatement(cluster);
    const nowMs = task.nowMs();
    await task.updateStatus((status) => ({
      ...status,
      conditions: conditionsOf(cluster, { status, provisioned, nowMs }),
    }));
    if (provisioned.status === "False") throw new TerminalError(provisioned.reason, provisioned.message);
    return done;
  },
});

/** A cluster that existed before Bowline stays as it is. */
async function deprovision(task: ClusterTask): Promise<ReconcileResult> {
  await task.removeFinalizer("bowline.dev/deprovision");
  return done;
}

function conditionsOf(
  { metadata: { name, generation } }: Cluster,
  found: { readonly status: ClusterStatus; readonly provisioned: Statement; readonly nowMs: number },
): ClusterStatus["conditions"] {
  const { status, provisioned, nowMs } = found;
  const statements = { Provisioned: provisioned, AgentConnected: agentStatement(name, status.agent) };
  const conditions = Object.entries(statements).reduce<readonly Condition[]>(
    (list, [type, statement]) =>
      setCondition(list, { type, ...statement, observedGeneration: generation }, nowMs),
    status.conditions,
  );
  return [...summarize(conditions, { positive: Object.keys(statements) }, { generation, nowMs })];
}

function provisionedStatement({ spec: { provider } }: Cluster): Statement {
  if (provider === "existing") return { status: "True", reason: "Existing", message: "" };
  return {
    status: "False",
    reason: "ProviderUnavailable",
    message: `Provider "${provider}" is not available in this version of Bowline. Make the cluster by other means, and create it here with provider "existing".`,
  };
}

function agentStatement(name: string, agent: ClusterStatus["agent"]): Statement {
  if (agent === undefined) {
    const message = `No agent has connected yet. Install the Bowline agent in the cluster and let it join as "${name}".`;
    return { status: "False", reason: "NeverConnected", message };
  }
  if (agent.connectedSince !== undefined) return { status: "True", reason: "Connected", message: "" };
  const message = `The agent was last heard from at ${agent.lastSeenAt}. Look whether it runs and can reach this server.`;
  return { status: "False", reason: "Disconnected", message };
}
