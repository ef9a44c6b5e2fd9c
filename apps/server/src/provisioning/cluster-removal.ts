import { randomUUID } from "node:crypto";

import { parseFieldSelector, WorkloadPlacement, type Cluster } from "@bowline/api";
import { shortened } from "@bowline/core";
import type { ResourceRecord } from "@bowline/providers";
import { done, requeueAfter, TerminalError, type ReconcileResult } from "@bowline/runtime";
import { deprovision, type NewAuditRecord } from "@bowline/store";

import type { ClusterTask } from "../controllers/cluster-controller.ts";
import { drainLeftMs } from "../controllers/cluster-drain.ts";
import { untilNextLookMs } from "./next-look.ts";
import { ProviderRound, type ProvisionWork, type RoundTools } from "./provider-round.ts";
import { tellState } from "./provisioning-events.ts";
import { findingOf, resourcesOf, statement, withFinding, type Finding } from "./provisioning-status.ts";

export type RemovalTools = RoundTools;

/** How soon it is looked whether workloads are gone, and things that should be. */
const placementsMs = 2_000;
const leftOverMs = 60_000;
const maxMessageLength = 1_024;

/**
 * Takes a cluster away that Bowline has made: first the workloads in it, while its agent can be reached, then all that
 * belongs to it. Nothing here needs the cluster to answer. Its object stays until nothing is left, unless what is there
 * is to stay.
 */
export class ClusterRemoval {
  readonly #tools: RemovalTools;

  constructor(tools: RemovalTools) {
    this.#tools = tools;
  }

  async reconcile(work: ProvisionWork): Promise<ReconcileResult> {
    const { cluster, task } = work;
    if (cluster.spec.deletionPolicy === "orphan") return this.#forget(cluster, task);
    if (await this.#hasPlacements(cluster)) {
      await this.#tell(work, deletingWorkloads);
      return requeueAfter(placementsMs);
    }
    const answer = await new ProviderRound(this.#tools, work).advance("absent");
    const open = await this.#openRecords(cluster);
    const left = [
      ...new Set([...(answer.leftOver ?? []), ...(answer.state === "gone" ? open.map(nameOf) : [])]),
    ];
    if (answer.state === "gone" && left.length === 0) {
      await task.recordEvent({ type: "Normal", reason: "Deprovisioned", message: "Nothing of it is left." });
      await task.removeFinalizer(deprovision);
      return done;
    }
    const found = findingOf({ ...answer, ...(left.length === 0 ? {} : { leftOver: left }) }, cluster.status);
    // Whatever is there yet is not to be worked with.
    const provisioned = { ...found.progress, status: "False" as const };
    await this.#tell(work, left.length === 0 ? { ...found, provisioned } : { ...found, ...leftOver(left) });
    return requeueAfter(left.length === 0 ? untilNextLookMs(found.state, answer) : leftOverMs);
  }

  /** Of a provider that is not here, or not any more. */
  async withoutProvider(cluster: Cluster, task: ClusterTask): Promise<ReconcileResult> {
    if (cluster.spec.deletionPolicy === "orphan") return this.#forget(cluster, task);
    const open = await this.#openRecords(cluster);
    if (open.length > 0) {
      const found = unavailable(cluster, open);
      await this.#write({ cluster, task }, found);
      throw new TerminalError(found.progress.reason, found.progress.message);
    }
    await task.removeFinalizer(deprovision);
    return done;
  }

  /** What is there stays there, and is told: nobody will know of it afterwards. */
  async #forget(cluster: Cluster, task: ClusterTask): Promise<ReconcileResult> {
    const names = (await this.#openRecords(cluster)).map(nameOf);
    const message = `It is not Bowline's any more, and stays where it is: ${names.join(", ") || "nothing was made"}.`;
    await task.recordEvent({ type: "Warning", reason: "Orphaned", message });
    await task.removeFinalizer(deprovision, orphanRecord(cluster, message));
    return done;
  }

  async #hasPlacements(cluster: Cluster): Promise<boolean> {
    // Without the agent nothing in it can be removed; its placements are let go by their own controller, too.
    if (drainLeftMs(cluster, this.#tools.clock.now()) <= 0) return false;
    const fields = parseFieldSelector(WorkloadPlacement, `spec.cluster=${cluster.metadata.name}`);
    return (await this.#tools.store.objects.listNames(WorkloadPlacement, { fields })).length > 0;
  }

  async #openRecords({ metadata: { id } }: Cluster): Promise<readonly ResourceRecord[]> {
    const records = await this.#tools.store.resources.of(id).list();
    return records.filter(({ state }) => state !== "gone");
  }

  async #tell(work: ProvisionWork, found: Finding): Promise<void> {
    await this.#write(work, found);
    await tellState(work, found);
  }

  async #write({ cluster, task }: Pick<ProvisionWork, "cluster" | "task">, found: Finding): Promise<void> {
    const { id, generation } = cluster.metadata;
    const records = await this.#tools.store.resources.of(id).list();
    const resources = resourcesOf(records, cluster.status);
    const { hourlyCost } = cluster.status.provisioning ?? {};
    const context = { generation, nowMs: task.nowMs(), resources, hourlyCost };
    await task.writeStatus((status) => withFinding(status, found, context));
  }
}

const workloadsMessage = "The workloads in it are removed first.";
const deletingWorkloads: Finding = {
  state: "Deleting",
  provisioned: statement("False", "DeletingWorkloads", workloadsMessage),
  progress: statement("True", "DeletingWorkloads", workloadsMessage),
};

function unavailable({ spec: { provider } }: Cluster, open: readonly ResourceRecord[]): Finding {
  const advice = `Have the provider set up again or, to leave that where it is, set spec.deletionPolicy to orphan. It was made by the provider "${provider}", which is not available in this server.`;
  const names = shortened(open.map(nameOf).join(", "), maxMessageLength - advice.length - 16);
  const told = statement("False", "ProviderUnavailable", `Still there: ${names}. ${advice}`);
  return { state: "Blocked", provisioned: told, progress: told };
}

function leftOver(names: readonly string[]): Pick<Finding, "provisioned" | "progress"> {
  const message = shortened(`Still there: ${names.join(", ")}. Delete what is not needed.`, maxMessageLength);
  return {
    provisioned: statement("False", "LeftOver", message),
    progress: statement("False", "LeftOver", message),
  };
}

function nameOf({ type, id, step, region }: ResourceRecord): string {
  return `${type} ${id ?? step}${region === undefined ? "" : ` (${region})`}`;
}

/** The one who has deleted the object is in the log already; what stays is known only now. */
function orphanRecord({ kind, metadata: { name } }: Cluster, message: string): NewAuditRecord {
  return {
    actor: {},
    verb: "delete",
    outcome: "allowed",
    httpStatus: 200,
    kind,
    name,
    message: shortened(message, maxMessageLength),
    requestId: randomUUID(),
  };
}
