import { Cluster, type ApiObject } from "@bowline/api";
import { agentStatement, clusterConditions, type ConditionStatement } from "@bowline/gateway";
import { done, requeueAfter, TerminalError, type ReconcileResult } from "@bowline/runtime";
import { deprovision, typed, type Change } from "@bowline/store";

import { keepExpiry, type Expiry } from "./cluster-expiry.ts";
import { objectController, type ObjectController, type ReconcilerHost } from "./object-controller.ts";
import type { ObjectReconciler, ObjectTask } from "./object-task.ts";

export type ClusterTask = ObjectTask<typeof Cluster>;
export type ClusterReconciler = ObjectReconciler<typeof Cluster>;

/** Clusters are waited for most of the time; a provider may hold a worker for eleven minutes. */
const concurrency = 64;
const timeLimitMs = 12 * 60_000;

/**
 * Says how clusters stand, and has those made that do not exist already; without anybody to make them, it says that.
 */
export function clusterController(
  provisioner?: (host: ReconcilerHost) => ClusterReconciler,
): ObjectController {
  return objectController({
    kind: Cluster,
    concurrency,
    timeLimitMs,
    ...(provisioner === undefined ? {} : { watches: [{ kind: Cluster, namesOf: withOtherAgent }] }),
    reconciler(host) {
      const made = provisioner?.(host) ?? { reconcile: refuse };
      return {
        async reconcile(cluster, task) {
          const expiry = await expiryOf(cluster, task, host);
          // Whoever deletes it gives it another generation, and so another turn.
          if (expiry.isDeleted) return done;
          const result =
            cluster.spec.provider === "existing"
              ? await keepExisting(cluster, task)
              : await made.reconcile(cluster, task);
          return soonest(result, expiry.againMs);
        },
      };
    },
  });
}

async function expiryOf(cluster: Cluster, task: ClusterTask, { store }: ReconcilerHost): Promise<Expiry> {
  const isGoing = cluster.metadata.deletedAt !== undefined;
  return isGoing ? { againMs: Infinity, isDeleted: false } : keepExpiry(cluster, task, store.objects);
}

/** No timer is set for longer than this; it is only looked at once more. */
const longestMs = 24 * 60 * 60_000;

function soonest(result: ReconcileResult, limitMs: number): ReconcileResult {
  if (limitMs === Infinity) return result;
  const againMs = Math.min(limitMs, longestMs);
  return requeueAfter(result.kind === "done" ? againMs : Math.min(result.delayMs, againMs));
}

/** A cluster that existed before Bowline stays as it is. */
async function keepExisting(cluster: Cluster, task: ClusterTask): Promise<ReconcileResult> {
  if (cluster.metadata.deletedAt !== undefined) await task.removeFinalizer(deprovision);
  else await tellProvisioned(cluster, task, { status: "True", reason: "Existing", message: "" });
  return done;
}

async function refuse(cluster: Cluster, task: ClusterTask): Promise<ReconcileResult> {
  if (cluster.metadata.deletedAt === undefined) return refuseUnavailable(cluster, task);
  await task.removeFinalizer(deprovision);
  return done;
}

/** Says what to do about a provider that this server does not have. */
export function unavailableText(provider: Cluster["spec"]["provider"]): string {
  const setUp =
    provider === "kind"
      ? "Whoever runs the server allows it with the setting provider.kind (--provider-kind on)"
      : "Have it set up";
  return `Provider "${provider}" is not available in this server. ${setUp}, or make the cluster by other means and create it here with provider "existing".`;
}

/** Nothing is made for a cluster whose provider this server does not have. */
export async function refuseUnavailable(cluster: Cluster, task: ClusterTask): Promise<never> {
  const message = unavailableText(cluster.spec.provider);
  await tellProvisioned(cluster, task, { status: "False", reason: "ProviderUnavailable", message });
  throw new TerminalError("ProviderUnavailable", message);
}

async function tellProvisioned(
  { metadata: { name, generation } }: Cluster,
  task: ClusterTask,
  provisioned: ConditionStatement,
): Promise<void> {
  const nowMs = task.nowMs();
  await task.updateStatus((status) => ({
    ...status,
    conditions: clusterConditions(
      status.conditions,
      { Provisioned: provisioned, AgentConnected: agentStatement(name, status) },
      { generation, nowMs },
    ),
  }));
}

/** A cluster that was made is complete when its agent has come. */
function withOtherAgent({ type, name, object, previous }: Change): readonly string[] {
  if (type !== "MODIFIED" || previous === undefined) return [];
  return isConnected(object) === isConnected(previous) ? [] : [name];
}

function isConnected(object: ApiObject): boolean {
  const { spec, status } = typed(Cluster, object);
  return spec.provider !== "existing" && status.agent?.connectedSince !== undefined;
}
