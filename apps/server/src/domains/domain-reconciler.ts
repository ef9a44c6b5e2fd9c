import type { DomainName, StatusOf } from "@bowline/api";
import { BowlineError, inParallel, LruMap, type Clock, type Random } from "@bowline/core";
import { done, requeueAfter, setCondition, type ReconcileResult } from "@bowline/runtime";
import type { Store } from "@bowline/store";

import type { ObjectTask } from "../controllers/object-task.ts";
import type { OutsideTools } from "../gateways/judge-outside.ts";
import { coveredHosts, type CoveredHosts } from "./covered-hosts.ts";
import { decideHost, type Decision } from "./decide-host.ts";
import type { DomainMetrics } from "./domain-metrics.ts";
import {
  hostStatus,
  intendedStatus,
  leavingStatus,
  stateOf,
  summary,
  switchEvent,
  switchingOf,
  type HostStatus,
  type Switching,
  type TellHost,
} from "./host-status.ts";
import {
  choosePlaces,
  isOneZone,
  notLeftText,
  placesOf,
  removeFrom,
  type ChosenPlaces,
} from "./host-places.ts";
import { lookAtHosts } from "./look-at-hosts.ts";
import { answerLimitMs, hostRules, lookIntervalMs } from "./look-times.ts";
import { leftOut, recordSets, recordTexts } from "./record-sets.ts";
import {
  placeOf,
  RecordWriter,
  type OpenZone,
  type RecordOutcome,
  type RecordRound,
  type ZonePlace,
} from "./write-records.ts";
import type { RecordSet } from "@bowline/dns";

export interface DomainReconcilerOptions {
  readonly store: Pick<Store, "objects" | "installationId">;
  readonly outside: OutsideTools;
  readonly openZone: OpenZone;
  readonly metrics: DomainMetrics;
  readonly clock: Clock;
  readonly random: Random;
}

type DomainTask = ObjectTask<typeof DomainName>;
type DomainStatus = StatusOf<typeof DomainName>;

/** A host, what was decided for it, and where its records are. */
interface HostPlan extends ChosenPlaces {
  readonly host: string;
  readonly before: HostStatus | undefined;
  readonly decision: Decision;
  /** What there is to tell once they are written. */
  readonly switching: Switching | undefined;
}

const removeRecords = "bowline.dev/remove-records";

/** Without hosts nothing happens that nobody tells, but that its zone is checked. */
const idleMs = 10 * 60_000;
const soonestMs = 50;
/** How old the time of the last look may be that a server finds after a restart, while nothing is about to be decided. */
const lookedAtAgeMs = 5 * 60_000;

/**
 * Writes the records of the hosts in a domain, and leads them to another cluster when theirs is lost. What it means to do is
 * in the status before it does it, and what is there stays in the status until it is gone: so it may be ended between any
 * two steps.
 */
export class DomainReconciler {
  readonly #options: DomainReconcilerOptions;
  readonly #writer: RecordWriter;
  /** When this process looked last, by the id of the object: written down only when it matters. */
  readonly #lookedAtMs = new LruMap<string, number>(10_000);

  constructor(options: DomainReconcilerOptions) {
    this.#options = options;
    this.#writer = new RecordWriter({ ...options, objects: options.store.objects });
  }

  async reconcile(domain: DomainName, task: DomainTask): Promise<ReconcileResult> {
    const by = { owner: await this.#ownerOf(domain), signal: task.signal };
    await using round = this.#writer.round({ ...by, requireLease: () => task.requireLease() });
    if (domain.metadata.deletedAt !== undefined) return this.#remove(domain, round, task);
    // Before anything is written, so that it will be removed whatever happens.
    await task.addFinalizer(removeRecords);
    const { clock } = this.#options;
    const [beganMs, nowMs] = [clock.monotonicMs(), task.nowMs()];
    const covered = await coveredHosts(this.#options.store.objects, domain);
    const plans = await this.#plan(domain, covered, { nowMs, task, round });
    await this.#writeDown(domain, plans, { nowMs, task });
    this.#lookedAtMs.set(domain.metadata.id, nowMs);
    const hosts = await this.#write(domain, plans, { round, covered });
    await this.#tell(domain, plans, { hosts, task });
    const left = await this.#removeLeaving(domain, plans, round);
    const all = [...hosts, ...left];
    // A mistake is told before the first host comes.
    const zone = all.length === 0 ? await round.check(placeOf(domain.spec)) : undefined;
    await this.#finish(domain, all, { zone, covered, task });
    const elapsedMs = clock.monotonicMs() - beganMs;
    const inMs = Math.min(
      plans.length === 0 ? idleMs : lookIntervalMs(domain.spec) - elapsedMs,
      ...plans.map(({ decision }) => decision.nextMs - nowMs - elapsedMs),
      round.againInMs,
    );
    return requeueAfter(Math.max(soonestMs, inMs));
  }

  async #plan(
    domain: DomainName,
    { hosts }: CoveredHosts,
    {
      nowMs,
      task,
      round,
    }: { readonly nowMs: number; readonly task: DomainTask; readonly round: RecordRound },
  ): Promise<HostPlan[]> {
    const { metadata, spec, status } = domain;
    const seen = await lookAtHosts(this.#options, hosts, {
      before: status.hosts,
      limitMs: answerLimitMs(spec),
      signal: task.signal,
    });
    const written = status.lookedAt === undefined ? -Infinity : Date.parse(status.lookedAt);
    const lookedAtMs = Math.max(written, this.#lookedAtMs.get(metadata.id) ?? -Infinity);
    const time = { nowMs, lookedAtMs: lookedAtMs === -Infinity ? undefined : lookedAtMs };
    const rules = hostRules(spec);
    const decided = hosts.map(({ host }) => {
      const before = status.hosts.find((each) => each.host === host);
      const decision = decideHost(stateOf(before), seen.get(host) ?? [], rules, time);
      return { host, before, decision, ...placesOf(spec, before), switching: switchingOf(before, decision) };
    });
    const wanted = decided.filter(({ decision }) => decision.state.active.length > 0);
    const chosen = new Map<string, ChosenPlaces>();
    await inParallel(wanted, async ({ host, before }) => {
      chosen.set(host, await choosePlaces(spec, before, { host, round }));
    });
    return decided.map((plan) => ({ ...plan, ...chosen.get(plan.host) }));
  }

  /** What was decided, with the places of records that will be there, before any of them is. */
  async #writeDown(
    { spec }: DomainName,
    plans: readonly HostPlan[],
    { nowMs, task }: { readonly nowMs: number; readonly task: DomainTask },
  ): Promise<void> {
    const isClose = plans.some(({ decision }) => decision.nextMs !== Infinity);
    await task.writeStatus((status) => {
      const isOld = nowMs - Date.parse(status.lookedAt ?? new Date(0).toISOString()) >= lookedAtAgeMs;
      const intended = new Map(plans.map((plan) => [plan.host, intendedStatus(plan, spec)]));
      const known = status.hosts.map((each) => intended.get(each.host) ?? each);
      const added = plans.filter(({ host }) => status.hosts.every((each) => each.host !== host));
      return {
        ...status,
        hosts: [...known, ...added.map((plan) => intendedStatus(plan, spec))],
        ...(isClose || isOld ? { lookedAt: new Date(nowMs).toISOString() } : {}),
      };
    });
  }

  /**
   * After records are written, and before the status forgets that there is something to tell: whoever is ended in between
   * tells it again.
   */
  async #tell(
    domain: DomainName,
    plans: readonly HostPlan[],
    { hosts, task }: { readonly hosts: readonly HostStatus[]; readonly task: DomainTask },
  ): Promise<void> {
    for (const { host, switching } of plans) {
      const now = hosts.find((each) => each.host === host);
      if (switching === undefined || now === undefined || now.switching !== undefined) continue;
      this.#options.metrics.switched(domain.metadata.name, switching.reason);
      const event = switchEvent(host, now.active, switching);
      if (event !== undefined) await task.recordEvent(event);
    }
  }

  async #write(
    { spec }: DomainName,
    plans: readonly HostPlan[],
    { round, covered }: { readonly round: RecordRound; readonly covered: CoveredHosts },
  ): Promise<HostStatus[]> {
    const { knownRegions } = covered;
    const hosts: HostStatus[] = [];
    await inParallel(plans, async (plan) => {
      const { host, before, decision, place, oldPlaces, obstacle, switching } = plan;
      const { state } = decision;
      const told = { host, state, records: before?.records ?? [], place, oldPlaces, switching };
      if (state.active.length === 0) {
        hosts.push(hostStatus({ ...told, ...(await this.#takeAway(spec, plan, round)) }, spec));
        return;
      }
      if (place === undefined) {
        hosts.push(hostStatus({ ...told, outcome: obstacle }, spec));
        return;
      }
      const active = state.clusters.filter(({ cluster }) => state.active.includes(cluster));
      const sets = setsOf(() => recordSets(active, { ...spec, knownRegions }));
      if ("message" in sets) {
        hosts.push(hostStatus({ ...told, outcome: sets }, spec));
        return;
      }
      const written = await this.#put(spec, { ...plan, place }, { sets: sets.sets, round });
      hosts.push(hostStatus({ ...told, ...written, leftOut: leftOut(active, sets.sets) }, spec));
    });
    return hosts;
  }

  /** Where none are to be, it is over as soon as none are there. */
  async #takeAway(
    spec: DomainName["spec"],
    { host, before, place, oldPlaces, switching }: HostPlan,
    round: RecordRound,
  ): Promise<Pick<TellHost, "records" | "place" | "oldPlaces" | "outcome" | "switching">> {
    const all = [...oldPlaces, ...(place === undefined ? [] : [place])];
    const { left } = await removeFrom(spec, all, { host, round });
    const isGone = left.length === 0;
    return {
      records: isGone ? [] : (before?.records ?? []),
      place: left.find((each) => each === place),
      oldPlaces: left.filter((each) => each !== place),
      outcome: undefined,
      switching: isGone ? undefined : switching,
    };
  }

  /** First where they are to be, then they go where they were before. Until they are there the last of those is kept right. */
  async #put(
    spec: DomainName["spec"],
    { host, before, place, oldPlaces, obstacle }: HostPlan & { readonly place: ZonePlace },
    { sets, round }: { readonly sets: readonly RecordSet[]; readonly round: RecordRound },
  ): Promise<Pick<TellHost, "outcome"> & Partial<TellHost>> {
    const told = before?.records ?? [];
    const written = { records: recordTexts(sets), switching: undefined };
    const outcome = await round.put(place, host, sets, told);
    if (outcome.kind !== "written") {
      const followed = oldPlaces.at(-1);
      const kept = followed === undefined ? undefined : await round.put(followed, host, sets, told);
      return { outcome: obstacle ?? outcome, ...(kept?.kind === "written" ? written : {}) };
    }
    const { left, why } = await removeFrom(spec, oldPlaces, { host, round });
    const [first] = left;
    const notLeft = first === undefined ? undefined : notLeftText(first, why);
    const after = { ...written, oldPlaces: left, notLeft, outcome: obstacle ?? outcome };
    if (!oldPlaces.some((each) => isOneZone(each, place) && !left.includes(each))) return after;
    // Two servers may have been two names of one after all.
    round.forget(place, host);
    const again = await round.put(place, host, sets, told);
    return again.kind === "written" ? after : { ...after, outcome: obstacle ?? again };
  }

  /** Hosts that no Gateway has any more; resolves to those that still have records. */
  async #removeLeaving(
    { spec, status }: DomainName,
    plans: readonly Pick<HostPlan, "host">[],
    round: RecordRound,
  ): Promise<HostStatus[]> {
    const staying: HostStatus[] = [];
    const leaving = status.hosts.filter(({ host }) => plans.every((plan) => plan.host !== host));
    await inParallel(leaving, async (each) => {
      const { place, oldPlaces } = placesOf(spec, each);
      const all = [...oldPlaces, ...(place === undefined ? [] : [place])];
      const { left, why } = await removeFrom(spec, all, { host: each.host, round });
      if (left.length === 0) return;
      const places = {
        place: left.find((one) => one === place),
        oldPlaces: left.filter((one) => one !== place),
      };
      staying.push(leavingStatus(each, { why, ...places }));
    });
    return staying;
  }

  async #finish(
    { metadata, spec }: DomainName,
    all: readonly HostStatus[],
    {
      zone,
      covered: { tooMany },
      task,
    }: {
      readonly zone: RecordOutcome | undefined;
      readonly covered: CoveredHosts;
      readonly task: DomainTask;
    },
  ): Promise<void> {
    const { hosts, ready } = summary({ domain: spec.domain, tooMany, zone }, all);
    const update = { type: "Ready", ...ready, observedGeneration: metadata.generation };
    await task.updateStatus((status) => ({
      ...status,
      hosts,
      hostCount: hosts.length + tooMany,
      readyCount: hosts.filter(({ ready: isReady }) => isReady === "True").length,
      conditions: [...setCondition(status.conditions, update, task.nowMs())],
    }));
  }

  async #remove(domain: DomainName, round: RecordRound, task: DomainTask): Promise<ReconcileResult> {
    const left = await this.#removeLeaving(domain, [], round);
    if (left.length === 0) {
      await task.removeFinalizer(removeRecords);
      return done;
    }
    const [first] = left;
    const which = left.length === 1 ? (first?.host ?? "") : `${left.length} hosts`;
    const message = `The records of ${which} are still there: ${first?.message ?? ""} spec.deletionPolicy orphan leaves them there.`;
    const update = { type: "Ready", status: "False", reason: "Deleting", message } as const;
    await task.updateStatus((status): DomainStatus => ({
      ...status,
      hosts: left,
      conditions: [
        ...setCondition(
          status.conditions,
          { ...update, observedGeneration: domain.metadata.generation },
          task.nowMs(),
        ),
      ],
    }));
    return requeueAfter(Math.max(soonestMs, round.againInMs));
  }

  async #ownerOf({ metadata }: DomainName): Promise<string> {
    return `${await this.#options.store.installationId()}/${metadata.name}`;
  }
}

function setsOf(
  make: () => RecordSet[],
): { readonly sets: RecordSet[] } | { readonly kind: "pending"; readonly message: string } {
  try {
    return { sets: make() };
  } catch (thrown) {
    return { kind: "pending", message: BowlineError.from(thrown).message };
  }
}
