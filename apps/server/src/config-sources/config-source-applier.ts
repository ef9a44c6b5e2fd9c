import { randomUUID } from "node:crypto";

import {
  configKinds,
  kinds,
  WorkloadInstance,
  type ConfigSource,
  type Kind,
  type ObjectOf,
} from "@bowline/api";
import type { BowlineError } from "@bowline/core";
import { defaultRenderLimits, readFiles, type RenderPool } from "@bowline/render";
import { done, requeueAfter, type ReconcileResult } from "@bowline/runtime";
import type { ObjectStore } from "@bowline/store";

import { authorOf } from "../api/object-answer.ts";
import type { ObjectTask } from "../controllers/object-task.ts";
import type { GitReader, SourceFiles } from "../sources/git-reader.ts";
import type { SeenRef } from "../sources/shared-refs.ts";
import { answered, pausedMessage, retryDelayMs, sourceFailure } from "../sources/source-status.ts";
import { findObjects } from "../workloads/find-objects.ts";
import { actingIdentity } from "./acting-identity.ts";
import { configWrites, releaseOf } from "./apply-config.ts";
import { keyOf, readConfigObjects, type ConfigObject } from "./config-objects.ts";
import { ConfigRefused, requireNoProblems } from "./config-problem.ts";
import { appliedStatus, configInputs, isApplied, refusedStatus, withOverridden } from "./config-status.ts";
import {
  dependenciesOf,
  planConfig,
  type ConfigPlan,
  type ConfigWorld,
  type KnownObject,
} from "./plan-config.ts";

export interface ConfigApplierOptions {
  readonly reader: Pick<GitReader, "look" | "read">;
  readonly pool: RenderPool;
  readonly objects: ObjectStore;
}

type Task = Pick<
  ObjectTask<typeof ConfigSource>,
  "nowMs" | "updateStatus" | "recordEvent" | "addFinalizer" | "removeFinalizer" | "fence" | "signal"
>;

const releaseFinalizer = "bowline.dev/release-objects";

/** All of them are changed in one transaction, in which nothing else is written. */
const maxObjects = 1_000;
const limits = { ...defaultRenderLimits, objects: maxObjects };

const managedKinds: readonly Kind[] = kinds.filter(({ kind }) => configKinds.some((each) => each === kind));

/** Makes the objects of a source what its repository has: each commit as a whole, or not at all. */
export class ConfigSourceApplier {
  readonly #options: ConfigApplierOptions;

  constructor(options: ConfigApplierOptions) {
    this.#options = options;
  }

  async apply(source: ConfigSource, task: Task): Promise<ReconcileResult> {
    const { git, paused } = source.spec;
    if (paused !== undefined) {
      const message = pausedMessage("commit is applied", paused);
      await task.updateStatus(refusedStatus(source, { reason: "Suspended", message, nowMs: task.nowMs() }));
      return done;
    }
    let seen: SeenRef | undefined;
    try {
      seen = await this.#options.reader.look(git, task.signal);
      if (isApplied(source, seen.commit)) {
        const overridden = withOverridden(await this.#own(source));
        const answer = answered<ConfigSource["status"]>(source.status, configInputs(source.spec));
        await task.updateStatus((status) => answer(overridden(status)));
      } else await this.#take(source, seen, task);
      return done;
    } catch (thrown) {
      const failure = thrown instanceof ConfigRefused ? thrown : sourceFailure(thrown, task.signal);
      if (failure === undefined) throw thrown;
      await this.#tell(source, failure, seen?.commit, task);
      // Whoever looks for commits comes again when the ref can be read; what failed later is tried again from here.
      return seen === undefined
        ? done
        : requeueAfter(retryDelayMs(git, source.status, failure, task.nowMs()));
    }
  }

  /** What the source has written stays, and is anybody's from then on. */
  async release(source: ConfigSource, task: Task): Promise<void> {
    const own = await this.#own(source);
    await this.#options.objects.writeAll(own.map((known) => releaseOf(known, task.fence)));
    await task.removeFinalizer(releaseFinalizer);
  }

  async #take(source: ConfigSource, seen: SeenRef, task: Task): Promise<void> {
    const { objects: store, pool, reader } = this.#options;
    const { spec, status, metadata } = source;
    const { signal, fence } = task;
    const found = await reader.read(spec.git, seen, { before: status.applied?.commit, signal });
    const { documents, problems } = await readFiles({ ...found, pool, limits, signal });
    requireNoProblems(problems.map((problem) => ({ ...problem, reason: "InvalidObjects" })));
    const config = await readConfigObjects(documents, spec.kinds);
    requireNoProblems(config.problems);
    const identity = await actingIdentity(store, source);
    const acting = { source: metadata.name, identity };
    const world = await this.#world(source, config.objects);
    const plan = planConfig({ commit: found.commit, objects: config.objects, world }, spec, acting);
    requireNoProblems(plan.problems);
    // Before anything has the mark, so that whoever deletes the source does not leave it behind.
    await task.addFinalizer(releaseFinalizer);
    const writes = configWrites(plan, {
      acting,
      author: authorOf(identity),
      repository: spec.git.url,
      commit: found.commit,
      fence,
      requestId: randomUUID(),
    });
    await store.writeAll(writes);
    await this.#tellApplied(source, found, plan, task);
  }

  async #world(source: ConfigSource, objects: readonly ConfigObject[]): Promise<ConfigWorld> {
    const { objects: store } = this.#options;
    const own = await this.#own(source);
    const known = new Map(own.map((each) => [`${each.kind.kind}/${each.object.metadata.name}`, each]));
    for (const object of objects) {
      const key = keyOf(object);
      const { kind, desired } = object;
      const current = known.has(key) ? undefined : await store.get(kind, desired.metadata.name);
      if (current !== undefined) known.set(key, { kind, object: current });
    }
    const depends = objects.some(({ desired }) => dependenciesOf(desired.spec).length > 0);
    return { known, instances: depends ? await findObjects(store, WorkloadInstance) : [] };
  }

  /** The objects that have the mark of a source. */
  async #own({ metadata }: ConfigSource): Promise<KnownObject[]> {
    const found: KnownObject[] = [];
    const fields = `metadata.managedBy.configSource=${metadata.name}`;
    for (const kind of managedKinds) {
      const objects: ObjectOf<Kind>[] = await findObjects(this.#options.objects, kind, { fields });
      found.push(...objects.map((object) => ({ kind, object })));
    }
    return found;
  }

  async #tellApplied(source: ConfigSource, found: SourceFiles, plan: ConfigPlan, task: Task): Promise<void> {
    const { change, event } = appliedStatus(source, found, plan, task.nowMs());
    await task.updateStatus(change);
    await task.recordEvent(event);
  }

  async #tell(
    source: ConfigSource,
    failure: BowlineError,
    commit: string | undefined,
    task: Task,
  ): Promise<void> {
    const reason = failure instanceof ConfigRefused ? failure.reason : failure.code;
    const { message } = failure;
    const known = source.status.conditions.find(({ type }) => type === "UpToDate");
    await task.updateStatus(refusedStatus(source, { reason, message, commit, nowMs: task.nowMs() }));
    if (known?.reason !== reason) await task.recordEvent({ type: "Warning", reason, message });
  }
}
