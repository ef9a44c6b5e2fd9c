import { rm } from "node:fs/promises";
import { dirname } from "node:path";

import { BowlineError, hasCode, makeFolder } from "@bowline/core";

import {
  ensureResource,
  removeResource,
  type FoundResource,
  type ResourceHandler,
} from "../ensure-resource.ts";
import type { ProviderAnswer, ProviderWork } from "../provider.ts";
import { resourceToken, type ResourceRecord } from "../resource-record.ts";
import { findEngine } from "./engine.ts";
import { containersStopped, creating, deleting, failed, missedAgainMs, nameTaken } from "./kind-answers.ts";
import { kindClusterName, kindConfig, kindWish } from "./kind-config.ts";
import { recognise, requireSuccess, type KindFailure } from "./kind-failures.ts";
import {
  clusterFolder,
  creationOf,
  lookAt,
  programContext,
  wishOf,
  type KindHost,
  type KindSituation,
} from "./kind-situation.ts";
import { kindStep } from "./kind-steps.ts";
import { runProgram } from "./run-program.ts";

const step = "cluster";
const type = "kind:cluster";

/** An image of a gigabyte takes its time on a slow line; what takes longer hangs. */
const creationLimitMs = 30 * 60_000;
/** Of containers that stop again each time, before they are given up. */
const mostStarts = 3;
const startsForgottenMs = 10 * 60_000;

/** One cluster of kind, on its way to being there or to being gone. */
export class KindCluster {
  readonly #host: KindHost;
  readonly #work: ProviderWork;
  readonly #name: string;

  constructor(host: KindHost, work: ProviderWork) {
    this.#host = host;
    this.#work = work;
    this.#name = kindClusterName(work.cluster);
  }

  async observe(): Promise<ProviderAnswer> {
    const record = await this.#record();
    const seen = await lookAt(this.#host, this.#work, record);
    if (isOnlyForeign(seen)) return nameTaken(this.#name);
    if (record === undefined || record.state === "gone") {
      return seen.own.length === 0 ? { state: "gone" } : creating(this.#name, seen);
    }
    if (record.state === "deleting") return deleting(seen);
    if (record.state === "ready") return this.#standing(seen, record);
    const failure = failureOf(record);
    return seen.state !== "running" && failure !== undefined
      ? failed(failure, record.attempt)
      : creating(this.#name, seen);
  }

  async next(): Promise<ProviderAnswer> {
    const record = await this.#record();
    const seen = await lookAt(this.#host, this.#work, record);
    if (isOnlyForeign(seen)) return nameTaken(this.#name);
    if (record === undefined || record.state === "gone") return this.#withoutRecord(seen, record);
    if (seen.state === "running") return this.#watch(seen, record);
    const told = await this.#tellFailure(seen, record);
    if (told !== undefined) return told;
    if (seen.own.length === 0) return this.#ensure(seen);
    if (seen.state === "made" || record.state === "ready") return this.#finish(seen, record);
    return seen.state === "ended" ? this.#clear(seen) : this.#withoutNotes(seen, record);
  }

  async delete(): Promise<ProviderAnswer> {
    const record = await this.#record();
    const seen = await lookAt(this.#host, this.#work, record).catch((error: unknown) => {
      // Where there is no engine, nothing can have been begun.
      const isNothing = record === undefined && this.#work.wasBegun === false;
      if (isNothing && hasCode(error, "MissingProgram")) return undefined;
      throw error;
    });
    if (seen === undefined) return { state: "gone" };
    const isThere = seen.own.length > 0 || seen.state === "running";
    if (!isThere) await rm(clusterFolder(this.#host, this.#work), { recursive: true, force: true });
    else if (record === undefined || record.state === "gone") await this.#adopt(seen, record);
    const removed = await removeResource(this.#work, this.#handler(seen));
    return removed === undefined || removed.state === "gone" ? { state: "gone" } : deleting(seen);
  }

  #record(): Promise<ResourceRecord | undefined> {
    return kindRecord(this.#work);
  }

  #handler(seen: KindSituation, isWhole = false): ResourceHandler {
    return {
      step,
      type,
      find: async (record) => {
        const now = await lookAt(this.#host, this.#work, record);
        if (isOnlyForeign(now)) return { id: this.#name, isReady: false, isForeign: true };
        if (now.own.length === 0 && now.state !== "running") return undefined;
        return this.#found(now, isWhole);
      },
      create: (record) => this.#begin(record),
      remove: async () => {
        await seen.creation.end();
        await this.#removeNodes(seen);
      },
    };
  }

  #found({ own, begun }: KindSituation, isWhole: boolean): FoundResource {
    return {
      id: this.#name,
      attributes: { ...begun },
      isReady: isWhole && own.length > 0 && own.every(({ isRunning }) => isRunning),
    };
  }

  async #begin({ token }: ResourceRecord): Promise<Pick<FoundResource, "id" | "attributes" | "isReady">> {
    const { cluster, installation } = this.#work;
    const context = programContext(this.#host, this.#work);
    const engine = await findEngine(cluster.spec.kind?.engine, context);
    const plan = { engine, wish: wishOf(this.#work) };
    const mark = { installation, cluster: cluster.id, name: cluster.name, token };
    const creation = creationOf(this.#host, this.#work, token);
    await creation.begin(this.#name, kindConfig(kindWish(cluster.spec), mark), plan);
    return { id: this.#name, attributes: plan, isReady: false };
  }

  /** It was never begun, or its records are lost: then the containers tell of which attempt they are. */
  async #withoutRecord(seen: KindSituation, last: ResourceRecord | undefined): Promise<ProviderAnswer> {
    if (seen.own.length === 0) return this.#ensure(seen);
    await this.#adopt(seen, last);
    return creating(this.#name, seen);
  }

  /**
   * Containers of ours, and nothing says whether kind came to its end with them, as after the folder was lost. One that
   * works is kept; the others may hold somebody's data, and a person has to judge.
   */
  async #withoutNotes(seen: KindSituation, record: ResourceRecord): Promise<ProviderAnswer> {
    const isStopped = seen.own.some(({ isRunning }) => !isRunning);
    if (isStopped || (await this.#isWhole(seen))) return this.#finish(seen, record);
    const message = `There are containers of ${this.#name} that do not make a whole cluster, and the notes of how they were made are lost. Delete this cluster, which takes them away, and make it again.`;
    return { state: "blocked", reason: "LeftOver", message };
  }

  async #ensure(seen: KindSituation): Promise<ProviderAnswer> {
    const record = await ensureResource(this.#work, this.#handler(seen));
    return {
      ...creating(this.#name, seen),
      ...(record.missedAtMs === undefined ? {} : { retryAfterMs: missedAgainMs }),
    };
  }

  /** It was made while nobody wrote it down, or after the backup that was restored. */
  async #adopt({ own }: KindSituation, last: ResourceRecord | undefined): Promise<void> {
    const { cluster, clock, records } = this.#work;
    const attempt = last?.attempt ?? 1;
    await records.put({
      step,
      type,
      attempt,
      token: own[0]?.mark?.token ?? last?.token ?? resourceToken(cluster.id, step, attempt),
      intentAtMs: clock.now(),
      state: "created",
      id: this.#name,
      attributes: {},
    });
  }

  async #watch(seen: KindSituation, record: ResourceRecord): Promise<ProviderAnswer> {
    const isOther = seen.begun.wish !== undefined && seen.begun.wish !== wishOf(this.#work);
    // What was asked for has changed, and nobody works with it yet: it is made anew.
    if (isOther) return this.#end(seen, `end of ${this.#name}, as another one is wanted`);
    const failure = await this.#overdue(seen, record);
    if (failure === undefined) {
      // Whoever began it died before it could write down that it did.
      if (record.id === undefined) await ensureResource(this.#work, this.#handler(seen));
      return creating(this.#name, seen, await seen.creation.log());
    }
    await this.#end(seen, `end of ${this.#name}, as it hangs`);
    return this.#tell(failure, record);
  }

  async #end(seen: KindSituation, subject: string): Promise<ProviderAnswer> {
    await this.#work.call(subject, () => seen.creation.end());
    return creating(this.#name, seen);
  }

  async #overdue(
    { creation }: KindSituation,
    { intentAtMs }: ResourceRecord,
  ): Promise<KindFailure | undefined> {
    const reason = "ProviderProgramFailed";
    if (this.#work.clock.now() - intentAtMs > creationLimitMs) {
      const last = kindStep(await creation.log()).text;
      return {
        reason,
        message: `kind was at it for ${creationLimitMs / 60_000} minutes and was ended. Its last step: ${last}.`,
      };
    }
    if (!(await creation.isLogTooLong())) return undefined;
    return { reason, message: "kind printed without an end, and was ended." };
  }

  /** All is there: starts what a reboot has stopped, and says that it is ready when all of it runs. */
  async #finish(seen: KindSituation, record: ResourceRecord): Promise<ProviderAnswer> {
    const stopped = seen.own.filter(({ isRunning }) => !isRunning);
    if (stopped.length > 0) {
      const nowMs = this.#work.clock.now();
      const starts = startsOf(record, nowMs);
      if (starts >= mostStarts) return this.#standing(seen, record);
      const attributes = { ...record.attributes, starts: starts + 1, startedAtMs: nowMs };
      await this.#work.records.put({ ...record, attributes });
      const names = stopped.map(({ name }) => name).join(", ");
      await this.#work.call(`start ${names}`, () => seen.engine.start(stopped.map(({ id }) => id)));
      return containersStopped(names);
    }
    const ready = await ensureResource(this.#work, this.#handler(seen, true));
    await seen.creation.settle();
    return this.#standing(seen, ready);
  }

  #standing(seen: KindSituation, record: ResourceRecord): ProviderAnswer {
    if (seen.own.length === 0) {
      const message = `The containers of ${this.#name} are gone: somebody has deleted them, or the engine is another one now. Delete this cluster, or bring them back.`;
      return { state: "lost", reason: "Lost", message };
    }
    const stopped = seen.own.filter(({ isRunning }) => !isRunning).map(({ name }) => name);
    if (stopped.length > 0) {
      if (startsOf(record, this.#work.clock.now()) < mostStarts) return containersStopped(stopped.join(", "));
      const message = `Containers stop again after each start: ${stopped.join(", ")}. Clusters of several nodes do not always survive a reboot; look at the logs of the container, or delete this cluster.`;
      return { state: "lost", reason: "ContainersStopped", message };
    }
    const { wish } = seen.begun;
    if (wish === undefined || wish === wishOf(this.#work)) return { state: "ready" };
    const message = `kind cannot change a cluster that is there, and this one was made with ${wish}: delete it and make it again, or take the change back.`;
    return { state: "blocked", reason: "ChangeNotPossible", message };
  }

  /** Once, when kind has ended with an error; after that it is made anew. One that was cut off has no error to tell. */
  async #tellFailure(seen: KindSituation, record: ResourceRecord): Promise<ProviderAnswer | undefined> {
    if (seen.state !== "ended" || failureOf(record) !== undefined) return undefined;
    const log = await seen.creation.log();
    return /^ERROR: /mu.test(log) ? this.#tell(recognise(log), record) : undefined;
  }

  async #tell(failure: KindFailure, record: ResourceRecord): Promise<ProviderAnswer> {
    await this.#work.records.put({ ...record, attributes: { ...record.attributes, failure } });
    return failed(failure, record.attempt);
  }

  /** What a creation that did not come to its end has left. */
  async #clear(seen: KindSituation): Promise<ProviderAnswer> {
    await this.#work.call(`delete ${type} ${this.#name}`, () => this.#removeNodes(seen));
    return creating(this.#name, seen);
  }

  /** By kind where all of that name is ours, and else, or without kind, container by container. */
  async #removeNodes({ own, foreign, engine, creation }: KindSituation): Promise<void> {
    if (own.length === 0) return;
    if (foreign.length === 0 && (await this.#removeByKind(engine.name, creation.kubeconfigPath))) return;
    await engine.remove(own.map(({ id }) => id));
  }

  async #removeByKind(engine: string, kubeconfig: string): Promise<boolean> {
    makeFolder(dirname(kubeconfig));
    const command = ["kind", "delete", "cluster", "--name", this.#name, "--kubeconfig", kubeconfig];
    try {
      const added = { KIND_EXPERIMENTAL_PROVIDER: engine };
      const result = await runProgram(programContext(this.#host, this.#work), command, added);
      requireSuccess("kind delete cluster", result);
      return true;
    } catch (error) {
      if (error instanceof BowlineError && error.code === "MissingProgram") return false;
      throw error;
    }
  }

  #isWhole({ engine, own }: KindSituation): Promise<boolean> {
    const first = own.find(({ name }) => name.endsWith("-control-plane"));
    if (first === undefined || own.some(({ isRunning }) => !isRunning)) return Promise.resolve(false);
    return engine.isWholeCluster(first.id, own.length);
  }
}

/** All containers of a cluster are one resource: kind makes them together, and takes them away together. */
export async function kindRecord({ records }: ProviderWork): Promise<ResourceRecord | undefined> {
  return (await records.list()).find((record) => record.step === step);
}

function isOnlyForeign({ own, foreign, state }: KindSituation): boolean {
  return own.length === 0 && foreign.length > 0 && state !== "running";
}

function failureOf({ attributes }: ResourceRecord): KindFailure | undefined {
  const { failure } = attributes;
  if (typeof failure !== "object" || failure === null) return undefined;
  const { reason, message } = { reason: undefined, message: undefined, ...failure };
  return typeof reason === "string" && typeof message === "string" ? { reason, message } : undefined;
}

/** How often its containers were started of late. */
function startsOf({ attributes }: ResourceRecord, nowMs: number): number {
  const { starts, startedAtMs } = attributes;
  if (typeof starts !== "number" || typeof startedAtMs !== "number") return 0;
  return nowMs - startedAtMs > startsForgottenMs ? 0 : starts;
}
