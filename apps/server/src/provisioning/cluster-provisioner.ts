import type { Cluster } from "@bowline/api";
import { BowlineError, hasCode, shortened } from "@bowline/core";
import { agentStatement } from "@bowline/gateway";
import type { ProviderAnswer } from "@bowline/providers";
import { findCondition, requeueAfter, type ReconcileResult } from "@bowline/runtime";
import { deprovision } from "@bowline/store";

import {
  refuseUnavailable,
  type ClusterReconciler,
  type ClusterTask,
} from "../controllers/cluster-controller.ts";
import type { AgentJoin } from "./agent-join.ts";
import { ClusterRemoval, type RemovalTools } from "./cluster-removal.ts";
import { costText } from "./plan-cluster.ts";
import { ProviderRound, type Providers, type ProvisionWork } from "./provider-round.ts";
import { tellState } from "./provisioning-events.ts";
import { findingOf, resourcesOf, statement, withFinding, type Finding } from "./provisioning-status.ts";
import { untilNextLookMs } from "./next-look.ts";

export interface ProvisionerTools extends RemovalTools {
  readonly providers: Providers;
  readonly join: AgentJoin;
}

/**
 * Brings a cluster that Bowline makes nearer to what its object says: one round of its provider, then it is looked at
 * again. It waits for nothing, and whatever it knows is in the object and the records: any replica goes on from there.
 */
export class ClusterProvisioner implements ClusterReconciler {
  readonly #tools: ProvisionerTools;
  readonly #removal: ClusterRemoval;

  constructor(tools: ProvisionerTools) {
    this.#tools = tools;
    this.#removal = new ClusterRemoval(tools);
  }

  async reconcile(cluster: Cluster, task: ClusterTask): Promise<ReconcileResult> {
    const provider = this.#tools.providers.get(cluster.spec.provider);
    const isGoing = cluster.metadata.deletedAt !== undefined;
    if (provider === undefined) {
      return isGoing ? this.#removal.withoutProvider(cluster, task) : refuseUnavailable(cluster, task);
    }
    const work: ProvisionWork = { cluster, task, provider };
    return isGoing ? this.#removal.reconcile(work) : this.#provision(work);
  }

  async #provision(work: ProvisionWork): Promise<ReconcileResult> {
    const { cluster, task } = work;
    // Before anything is made: from here on the object waits until it is gone again.
    await task.addFinalizer(deprovision);
    if (cluster.status.provisioning === undefined) await this.#write(work, pending);
    const round = new ProviderRound(this.#tools, work);
    const hourlyCost = await costOf(work, round);
    const answer = await round.advance("present");
    const found = await this.#found(work, round, answer);
    await this.#write(work, found, hourlyCost);
    await tellState(work, found);
    this.#countCreated(work, found);
    const againMs = found.state === "Ready" ? await this.#close(work, round) : undefined;
    return requeueAfter(againMs ?? untilNextLookMs(found.state, answer));
  }

  /**
   * Takes the provider's own way in back; when to try again, or undefined when that is done. The cluster works, whatever
   * comes of it: that a door stays open is told, and not given up.
   */
  async #close({ task }: ProvisionWork, round: ProviderRound): Promise<number | undefined> {
    try {
      return (await round.revokeCredentials()) ? undefined : closeAgainMs;
    } catch (thrown) {
      task.signal.throwIfAborted();
      if (hasCode(thrown, "LeaseLost")) throw thrown;
      const cause = shortened(BowlineError.from(thrown).message, maxCauseLength);
      const message = `The direct access of Bowline to the cluster could not be taken back: ${cause} It is tried again.`;
      await task.recordEvent({ type: "Warning", reason: "AccessNotTakenBack", message });
      return stillOpenAgainMs;
    }
  }

  /** A cluster that is there is complete with its agent. */
  async #found(work: ProvisionWork, round: ProviderRound, answer: ProviderAnswer): Promise<Finding> {
    const { metadata, status } = work.cluster;
    const found = { agent: beforeItIsThere, ...findingOf(answer, status) };
    if (status.agent !== undefined) {
      // Whoever has joined keeps its key, and comes back by itself.
      const agent = agentStatement(metadata.name, status);
      return found.state === "Provisioned" ? { ...found, agent, state: "Ready" } : { ...found, agent };
    }
    if (found.state !== "Provisioned") {
      const known = findCondition(status.conditions, "AgentConnected");
      return known === undefined || found.provisioned.status === "False"
        ? found
        : { ...found, agent: { status: known.status, reason: known.reason, message: known.message } };
    }
    return { ...found, ...(await this.#tools.join.next(work, round)) };
  }

  async #write(
    { cluster, task }: ProvisionWork,
    found: Finding,
    hourlyCost: string | undefined = cluster.status.provisioning?.hourlyCost,
  ): Promise<void> {
    const { id, generation } = cluster.metadata;
    const records = await this.#tools.store.resources.of(id).list();
    const resources = resourcesOf(records, cluster.status);
    const context = { generation, nowMs: task.nowMs(), resources, hourlyCost };
    await task.writeStatus((status) => withFinding(status, found, context));
  }

  #countCreated({ cluster: { metadata, spec, status }, task }: ProvisionWork, { state }: Finding): void {
    if (state !== "Ready" || status.provisioning?.state !== "Joining") return;
    this.#tools.metrics.created(spec.provider, task.nowMs() - Date.parse(metadata.createdAt));
  }
}

/** Something that was asked to go is gone when it was missed twice, so far apart. */
const closeAgainMs = 10_000;
const stillOpenAgainMs = 60_000;
const maxCauseLength = 1_024;

const beforeItIsThere = statement(
  "False",
  "NotProvisioned",
  "The agent is installed when the cluster is there.",
);

const pending: Finding = {
  state: "Pending",
  provisioned: statement("False", "Preflight", "Nothing has been made yet."),
  progress: statement("True", "Preflight", "The provider is asked what is to be made."),
  agent: beforeItIsThere,
};

/** An estimate, asked for once for each spec; that nobody knows is no reason to make nothing. */
async function costOf({ cluster, task }: ProvisionWork, round: ProviderRound): Promise<string | undefined> {
  const { metadata, status } = cluster;
  if (status.observedGeneration === metadata.generation) return status.provisioning?.hourlyCost;
  try {
    return costText((await round.plan()).hourlyCost);
  } catch {
    task.signal.throwIfAborted();
    return undefined;
  }
}
