import { BowlineError } from "@bowline/core";

import { ensureResource, nameTaken, removeResource } from "../ensure-resource.ts";
import type {
  ClusterAccess,
  OrphanedResource,
  OrphanSearch,
  Provider,
  ProviderAnswer,
  ProviderPlan,
  ProviderWork,
} from "../provider.ts";
import { missed, seen } from "../resource-record.ts";
import { accessEntryStep } from "./access-entry-step.ts";
import { AwsError, type AwsApi } from "./aws/aws-api.ts";
import { AwsSessions } from "./aws-session.ts";
import { clusterStep, describeCluster, isNameOfOthers, isOwn } from "./cluster-step.ts";
import { estimatedHourlyCost, priceDate } from "./cost.ts";
import { removeMore, sweepAnswer, type WorkloadRemoval } from "./eks-deletion.ts";
import { answerOf, refusalOf } from "./eks-failure.ts";
import { findInstallations } from "./find-installations.ts";
import { lookForForgotten, recovered } from "./forgotten-cluster.ts";
import { findOrphans } from "./eks-orphans.ts";
import { eksKubeconfig, type EksUser } from "./eks-kubeconfig.ts";
import { openRound, saveRecord, type EksRound, type EksStep } from "./eks-round.ts";
import { wantedSteps } from "./eks-steps.ts";
import { FullLooks } from "./full-looks.ts";
import { givenAndLost, lookAgain, lookAtGivenNetwork, networkLost } from "./look-again.ts";
import { pendingUpdate, updateText } from "./eks-update.ts";
import { livingRecords, regionOfRecords, requireSameAccount, requireSameRegion } from "./made-place.ts";
import { makeProgress, markAsCompleted, progressOf, staleGroups } from "./make-progress.ts";
import { awsNameOf } from "./names.ts";
import { preflight } from "./preflight.ts";
import { recoverRecords } from "./recover-records.ts";
import { removalByAccess } from "./remove-workloads.ts";
import { sweep } from "./sweep.ts";

export interface EksProviderOptions {
  readonly api: AwsApi;
  /** Instead of those of AWS: tests have their own. */
  readonly endpoint?: string;
  /** Takes workloads away before their cluster goes; by the access of the provider itself if missing. */
  readonly removeWorkloads?: WorkloadRemoval | undefined;
  /** Is asked first where the provider's own access would be: it may reach a control plane that has no public address. */
  readonly tunnel?: WorkloadRemoval;
  /** Whether volumes of workloads go as well, whose data nobody wants any more; they are told and left, if missing. */
  readonly deletesVolumes?: boolean;
  /** The addresses and networks that may reach public endpoints, as the server calls from there; all if missing. */
  readonly publicAccess?: readonly string[] | undefined;
}

const settleMs = 10_000;

/** Clusters of Amazon EKS, with a network of their own or in one that is given. */
export class EksProvider implements Provider {
  readonly name = "eks";
  readonly #sessions: AwsSessions;
  readonly #options: EksProviderOptions;
  readonly #removeWorkloads: WorkloadRemoval;
  readonly #fullLooks = new FullLooks();

  constructor(options: EksProviderOptions) {
    this.#options = options;
    const { removeWorkloads, tunnel, deletesVolumes = false } = options;
    const byAccess = removalByAccess((work) => this.#access(work), { deletesVolumes });
    this.#removeWorkloads =
      removeWorkloads ?? (tunnel === undefined ? byAccess : firstReaching(tunnel, byAccess));
    this.#sessions = new AwsSessions(options.api, options.endpoint);
  }

  async plan(work: ProviderWork): Promise<ProviderPlan> {
    const round = await this.#open({ ...work, records: noRecords });
    const steps = wantedSteps(round);
    const amount = estimatedHourlyCost(round.settings);
    const cost = amount === undefined ? {} : { hourlyCost: { amount, currency: "USD" } };
    const price =
      amount === undefined
        ? "There is no price for a type of these machines."
        : `About ${amount} US dollars an hour: an estimate, by list prices of ${priceDate}.`;
    return {
      steps: [...steps.map(({ text }) => text), price],
      ...cost,
      // Networks and nodes take their time before and after the control plane.
      expectedSeconds: 16 * 60,
    };
  }

  async observe(work: ProviderWork): Promise<ProviderAnswer> {
    const round = { ...(await this.#open(work, { isAfterwards: true })), look: {} };
    return lookThere(round, this.#fullLooks).catch((error: unknown) =>
      answerOf(error, doingOf(round), "Preflight"),
    );
  }

  async next(work: ProviderWork): Promise<ProviderAnswer> {
    const round = await this.#open(work);
    const steps = wantedSteps(round);
    const reason = progressOf(round, steps)?.reason ?? "Updating";
    try {
      requireSameRegion(round);
      await requireSameAccount(round);
      if (isEmpty(round)) {
        const caller = await preflight(round);
        work.logger.info({ cluster: work.cluster.name, caller }, "AWS knows the provider");
        return { ...(await makeProgress(round)), message: `AWS knows Bowline as ${caller}.` };
      }
      const missing = await missingCluster(round);
      return missing ?? (await makeProgress(round));
    } catch (error) {
      this.#fullLooks.failed(round, error);
      return answerOf(error, doingOf(round), isEmpty(round) ? "Preflight" : reason);
    }
  }

  async delete(work: ProviderWork): Promise<ProviderAnswer> {
    const round = await this.#open(work, { isAfterwards: true });
    const { deletesVolumes = false } = this.#options;
    const removeWorkloads = this.#removeWorkloads;
    try {
      await requireSameAccount(round, { isAfterwards: true });
      const forgotten = await lookForForgotten(round);
      if (forgotten !== undefined) return forgotten;
      const answer = await removeMore(round, { removeWorkloads, deletesVolumes }).catch((error: unknown) =>
        answerOf(error, "deleting", "DeletingCluster"),
      );
      return (await recoversMore(round, answer)) ? recovered : answer;
    } catch (error) {
      return answerOf(error, "deleting", "DeletingCluster");
    }
  }

  /** Lets itself in again, if its access was taken away. */
  credentials(work: ProviderWork): Promise<ClusterAccess> {
    return this.#access(work).catch(refuse);
  }

  async #access(work: ProviderWork): Promise<ClusterAccess> {
    const round = await this.#open(work);
    const place = await placeOf(round);
    const entry = accessEntryStep(round);
    const record = await ensureResource(work, entry);
    if (record.state === "created") {
      for (const lack of [record.attributes["lacks"]].flat()) {
        await work.call("complete eks:access-entry access-entry", async () =>
          entry.complete?.(record, String(lack)),
        );
      }
      const attributes = { ...record.attributes, lacks: [] };
      await work.records.put(seen(record, { state: "ready", attributes }, work.clock.now()));
    }
    const token = await round.aws.token(round.name);
    return { kubeconfig: eksKubeconfig({ ...place, user: { token } }) };
  }

  /** One for a user who has been let in, or lets himself in. */
  async kubeconfig(work: ProviderWork, user: EksUser): Promise<string> {
    return eksKubeconfig({ ...(await placeOf(await this.#open(work)).catch(refuse)), user });
  }

  /** What the cluster is called in AWS. */
  nameOf({ cluster }: Pick<ProviderWork, "cluster">): string {
    return awsNameOf(cluster);
  }

  /** Takes the direct access back, once the agent is there; to be called until it says `true`. */
  async revokeCredentials(work: ProviderWork): Promise<boolean> {
    const round = await this.#open(work);
    const known = round.records.get("access-entry");
    if (known !== undefined && known.attributes["isRevoked"] !== true) {
      await saveRecord(round, { ...known, attributes: { ...known.attributes, isRevoked: true } });
    }
    const record = await removeResource(work, accessEntryStep(round, { isGoing: true })).catch(refuse);
    return record === undefined || record.state === "gone";
  }

  /** All that would stop a creation before it has begun; resolves to whoever AWS takes this for. */
  async preflight(work: ProviderWork): Promise<string> {
    return preflight(await this.#open(work)).catch(refuse);
  }

  /** Installations of that name whose clusters `bowline up` has made, by their marks: for whoever has lost the notes. */
  installations(
    name: string,
    work: Pick<ProviderWork, "cluster" | "credential" | "clock">,
  ): Promise<readonly string[]> {
    return findInstallations(this.#sessions.open(work), name).catch(refuse);
  }

  /** Remembers what AWS has of the cluster and nobody knows of; resolves to how much that was. */
  async recover(work: ProviderWork): Promise<number> {
    return recoverRecords(await this.#open(work)).catch(refuse);
  }

  /** What has the mark of this installation and belongs to none of its clusters. */
  orphans(search: OrphanSearch): Promise<readonly OrphanedResource[]> {
    return findOrphans(search, this.#sessions);
  }

  /** In the region where things of it are, whatever the object says by now; afterwards, in that where they were. */
  async #open(work: ProviderWork, { isAfterwards = false } = {}): Promise<EksRound> {
    const all = await work.records.list();
    const records = livingRecords(all);
    const known = regionOfRecords(records.length === 0 && isAfterwards ? all : records);
    const { spec, ...cluster } = work.cluster;
    const region = known ?? spec.region;
    const there = { ...cluster, spec: { ...spec, ...(region === undefined ? {} : { region }) } };
    const session = this.#sessions.open({ ...work, cluster: there });
    return openRound(work, session, this.#options.publicAccess);
  }
}

function firstReaching(first: WorkloadRemoval, second: WorkloadRemoval): WorkloadRemoval {
  return async (work) => {
    const found = await first(work);
    return found === "unreachable" ? second(work) : found;
  };
}

async function placeOf(
  round: EksRound,
): Promise<{ readonly name: string; readonly endpoint: string; readonly caData: string }> {
  if (await isNameOfOthers(round)) throw nameTaken(clusterStep(round), { id: round.name });
  const cluster = await describeCluster(round);
  const { endpoint, certificateAuthority } = cluster ?? {};
  if (endpoint !== undefined && certificateAuthority?.data !== undefined) {
    return { name: round.name, endpoint, caData: certificateAuthority.data };
  }
  const message = `The control plane of ${round.work.cluster.name} has no address yet.`;
  throw new BowlineError("ReconcileWaiting", message);
}

function refuse(error: unknown): never {
  throw refusalOf(error);
}

const noRecords = { list: () => Promise.resolve([]), put: () => Promise.resolve() };

function isEmpty({ records }: EksRound): boolean {
  return [...records.values()].every(({ state }) => state === "gone");
}

function isDeleting({ records }: EksRound): boolean {
  return records.get("cluster")?.attributes["isDeleting"] === true;
}

function doingOf(round: EksRound): "creating" | "updating" | "deleting" {
  const cluster = round.records.get("cluster");
  if (cluster?.state !== "gone" && isDeleting(round)) return "deleting";
  return cluster?.attributes["isCompleted"] === true ? "updating" : "creating";
}

/** Of what is left, some may be ours and newer than the records, as after the restore of a backup. */
async function recoversMore(round: EksRound, { reason }: ProviderAnswer): Promise<boolean> {
  if (reason !== "LeftOver") return false;
  // That it cannot be looked for is no news beside what is left.
  const found = await recoverRecords(round).catch((error: unknown) => {
    if (error instanceof AwsError) return 0;
    throw error;
  });
  return found > 0;
}

async function lookThere(round: EksRound, fullLooks: FullLooks): Promise<ProviderAnswer> {
  await requireSameAccount(round, { isAfterwards: true });
  if (!isDeleting(round)) requireSameRegion(round);
  return look(round, fullLooks);
}

async function look(round: EksRound, fullLooks: FullLooks): Promise<ProviderAnswer> {
  if (round.records.size === 0) return { state: "creating", reason: "Preflight" };
  const cluster = round.records.get("cluster");
  if (isEmpty(round) && (cluster === undefined || isDeleting(round))) return sweepAnswer(await sweep(round));
  if (isDeleting(round) && cluster?.state !== "gone") return { state: "deleting", reason: "DeletingCluster" };
  const missing = await missingCluster(round);
  if (missing !== undefined) return missing;
  const steps = wantedSteps(round);
  const found = await lookAtThings(round, { steps, fullLooks });
  if (found !== undefined) return found;
  const update = pendingUpdate(round);
  if (update !== undefined) return { state: "updating", reason: "Updating", message: updateText(update) };
  if (staleGroups(round).length > 0) return { state: "updating", reason: "Updating" };
  await markAsCompleted(round);
  return { state: "ready" };
}

/** At what is watched, and at all when that is due, or something is missing already. */
async function lookAtThings(
  round: EksRound,
  { steps, fullLooks }: { readonly steps: readonly EksStep[]; readonly fullLooks: FullLooks },
): Promise<ProviderAnswer | undefined> {
  const isUnderWay = progressOf(round, steps) !== undefined;
  const isMissed = ({ step }: EksStep): boolean => round.records.get(step)?.missedAtMs !== undefined;
  // What is under way is looked at by whoever goes on with it.
  const watched = steps.filter((step) => (isUnderWay ? isMissed(step) : step.isWatched === true));
  const trouble = await lookAgain(round, watched);
  const isFull = fullLooks.isDue(round) || (trouble !== undefined && !isUnderWay);
  const others = steps.filter((step) => !watched.includes(step));
  const more = isFull ? await lookAgain(round, others) : undefined;
  if (isFull || givenAndLost(round).length > 0) await lookAtGivenNetwork(round);
  if (isFull && more === undefined) fullLooks.done(round);
  return networkLost(round, steps) ?? trouble ?? more ?? progressOf(round, steps);
}

/** A control plane that was there is never made anew by itself: what was in it would be missing. */
async function missingCluster(round: EksRound): Promise<ProviderAnswer | undefined> {
  const record = round.records.get("cluster");
  if (record?.attributes["wasActive"] !== true || isDeleting(round)) return undefined;
  const found = await describeCluster(round);
  if (record.state !== "gone") {
    if (isOwn(round, found)) return undefined;
    const after = await saveRecord(round, missed(record, round.work.clock.now()));
    if (after.state !== "gone") {
      const message = "AWS does not find the control plane; it is looked for once more.";
      return { state: "updating", reason: "CreatingControlPlane", message, retryAfterMs: settleMs };
    }
  }
  const other = found === undefined ? "" : " Another one has the name now, which is left alone.";
  const message = `The control plane ${round.name} was deleted in AWS, and not by Bowline.${other}`;
  return { state: "lost", reason: "Lost", message };
}
