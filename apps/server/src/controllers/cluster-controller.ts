import { Cluster } from "@bowline/api";
import { done, TerminalError, type ReconcileResult } from "@bowline/runtime";

import { agentStatement, clusterConditions, type ConditionStatement } from "@bowline/gateway";
import { objectController } from "./object-controller.ts";
import type { ObjectTask } from "./object-task.ts";

type ClusterTask = Pick<ObjectTask<typeof Cluster>, "nowMs" | "updateStatus" | "removeFinalizer">;

/** Provisions clusters and says how they stand. */
export const clusterController = objectController({
  kind: Cluster,

  async reconcile(cluster: Cluster, task: ClusterTask): Promise<ReconcileResult> {
    if (cluster.metadata.deletedAt !== undefined) return deprovision(task);
    const provisioned = provisionedStatement(cluster);
    const nowMs = task.nowMs();
    const { name, generation } = cluster.metadata;
    await task.updateStatus((status) => ({
      ...status,
      conditions: clusterConditions(
        status.conditions,
        { Provisioned: provisioned, AgentConnected: agentStatement(name, status) },
        { generation, nowMs },
      ),
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

function provisionedStatement({ spec: { provider } }: Cluster): ConditionStatement {
  if (provider === "existing") return { status: "True", reason: "Existing", message: "" };
  return {
    status: "False",
    reason: "ProviderUnavailable",
    message: `Provider "${provider}" is not available in this version of Bowline. Make the cluster by other means, and create it here with provider "existing".`,
  };
}
