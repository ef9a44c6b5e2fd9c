import { BowlineError, hasCode } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import type { EngineContext } from "../cluster/engine-context.ts";
import { hasAnyField, leaveOut } from "../fields/leave-out.ts";
import { leftBehind } from "../fields/left-behind.ts";
import type { FieldOwner, ObjectProblem } from "../object-result.ts";
import { deleteAndWait } from "../cluster/delete-object.ts";
import { findLive } from "../cluster/live-object.ts";
import type { RenderedObject } from "../render/render-workload.ts";
import { fieldManager, instanceLabel, type WorkloadPolicy } from "../workload.ts";
import { AutoscalersInCluster } from "./autoscalers-in-cluster.ts";
import { classifyFailure, type Failure } from "../cluster/classify-failure.ts";
import { ownAlone } from "./co-owners.ts";
import { planConflict, takesFrom, type ConflictPlan } from "./conflict-plan.ts";
import { planImmutable } from "./immutable.ts";
import { keepsFilledIn, removeRest } from "./remove-rest.ts";

/** A failure that passes by itself comes with the error to retry with. */
export type ApplyOutcome =
  | {
      readonly outcome: "applied";
      readonly answer: KubeObject;
      /** Fields that were taken from others for it. */
      readonly taken: readonly FieldOwner[];
    }
  | { readonly outcome: "failed"; readonly problem: ObjectProblem }
  | { readonly outcome: "waiting"; readonly problem: ObjectProblem; readonly error: BowlineError };

export interface ApplyOptions {
  /** The object that we know to be ours; another one of the same name is not deleted to be made anew. */
  readonly uid?: string | undefined;
  /** Exactly this was applied before, so whoever owns fields of it now has changed them since. */
  readonly wereOurs?: boolean;
  /** The object as somebody has just read it. */
  readonly live?: KubeObject | undefined;
}

/** One attempt, and what it has taken so far. */
interface Attempt extends ApplyOptions {
  readonly taken: FieldOwner[];
}

/** Ends an attempt with what is to be told about it. */
class Refusal extends Error {
  readonly problem: ObjectProblem;
  readonly isPassing: boolean;

  constructor(problem: ObjectProblem, isPassing: boolean) {
    super(problem.message);
    this.problem = problem;
    this.isPassing = isPassing;
  }
}

/** Somebody who changes an object all the time wins in the end, and is told about. */
const takeoverTries = 5;
const recreateLimitMs = 30_000;

/** Applies objects one by one: conflicts and immutable fields are settled here, as the policy and the object allow. */
export class ObjectApplier {
  readonly #context: EngineContext;
  readonly #policy: WorkloadPolicy;
  readonly #autoscalers: AutoscalersInCluster;
  readonly #isDryRun: boolean;
  readonly #isTaken = (manager: string): boolean => takesFrom(manager, this.#policy);

  /** A dry run asks for everything and changes nothing. */
  constructor(context: EngineContext, policy: WorkloadPolicy, { isDryRun = false } = {}) {
    this.#context = context;
    this.#policy = policy;
    this.#isDryRun = isDryRun;
    this.#autoscalers = new AutoscalersInCluster(context);
  }

  async apply(rendered: RenderedObject, options: ApplyOptions = {}): Promise<ApplyOutcome> {
    try {
      const object = await this.#objectToSend(rendered);
      const taken: FieldOwner[] = [];
      const answer = await this.#send(rendered, object, { ...options, taken });
      const { deletionTimestamp, finalizers = [] } = answer.metadata;
      if (deletionTimestamp !== undefined) throw beingDeleted(finalizers);
      if (this.#isDryRun) return { outcome: "applied", answer, taken };
      const alone = await ownAlone(this.#context, rendered, { answer, isTaken: this.#isTaken });
      return { outcome: "applied", answer: alone, taken };
    } catch (error) {
      this.#context.signal.throwIfAborted();
      return outcomeOf(error, rendered);
    }
  }

  /** Without the fields that are left to others. */
  async #objectToSend(rendered: RenderedObject): Promise<KubeObject> {
    const isScaled = await this.#autoscalers.scales(rendered);
    const paths = isScaled ? [...rendered.leftOut, "spec.replicas"] : rendered.leftOut;
    if (!hasAnyField(rendered.object, paths)) return rendered.object;
    return leaveOut(rendered.object, paths, await findLive(this.#context, rendered));
  }

  async #send(rendered: RenderedObject, object: KubeObject, options: Attempt): Promise<KubeObject> {
    // Nothing goes from an object to which exactly this was applied before.
    const mayGo = options.uid !== undefined && options.wereOurs !== true;
    if (mayGo && (await keepsFilledIn(this.#context))) {
      const removed = await this.#removeRest(rendered, object, options);
      if (removed !== undefined) return this.#sendAfter(removed, rendered, object, options);
    }
    try {
      return await this.#sendOnce(rendered, object, options);
    } catch (error) {
      if (!isInvalid(failureOf(error, rendered))) throw error;
      const removed = await this.#removeRest(rendered, object, options);
      if (removed === undefined) throw error;
      return this.#sendAfter(removed, rendered, object, options);
    }
  }

  /** A dry run has removed nothing, but its answer tells what the object would be. */
  #sendAfter(
    removed: KubeObject,
    rendered: RenderedObject,
    object: KubeObject,
    options: Attempt,
  ): Promise<KubeObject> {
    if (this.#isDryRun) return Promise.resolve(removed);
    return this.#sendOnce(rendered, object, { ...options, live: undefined });
  }

  /** What stands in the way of an apply and would not go by it; undefined when there is nothing like that. */
  async #removeRest(
    rendered: RenderedObject,
    object: KubeObject,
    attempt: Attempt,
  ): Promise<KubeObject | undefined> {
    for (let tries = 1; ; tries += 1) {
      const live = await findLive(this.#context, rendered);
      const rest = live === undefined ? [] : leftBehind(live, object, { isTaken: this.#isTaken });
      if (live === undefined || rest.length === 0) return undefined;
      try {
        const wanted = await this.#withoutConflicts(rendered, object, { ...attempt, live });
        return await removeRest(this.#context, rendered, { wanted, live, rest, isDryRun: this.#isDryRun });
      } catch (error) {
        if (!hasCode(error, "Conflict") || tries >= takeoverTries) throw error;
      }
    }
  }

  /** The object as far as it may be sent without asking whose its fields are: in this version of it, they are ours. */
  async #withoutConflicts(
    rendered: RenderedObject,
    object: KubeObject,
    attempt: Attempt,
  ): Promise<KubeObject> {
    const { resourceVersion = "" } = attempt.live?.metadata ?? {};
    try {
      await this.#request(rendered, object, { resourceVersion, dryRun: true });
    } catch (error) {
      const failure = failureOf(error, rendered);
      // Conflicts are told first, so an object that is only not valid has none.
      if (isInvalid(failure)) return object;
      if (failure.kind !== "conflict") throw error;
      const plan = this.#plan(failure.conflicts, attempt);
      if (plan.action === "leave") return leaveOut(object, plan.fields, undefined);
      attempt.taken.splice(0, Infinity, ...failure.conflicts);
    }
    return object;
  }

  async #sendOnce(rendered: RenderedObject, object: KubeObject, options: Attempt): Promise<KubeObject> {
    try {
      if (options.live === undefined) return await this.#request(rendered, object);
      return await this.#takeSoon(rendered, object, options);
    } catch (error) {
      const failure = failureOf(error, rendered);
      if (failure.kind === "conflict") return this.#settle(rendered, object, failure.conflicts, options);
      if (failure.kind === "immutable") return this.#recreate(rendered, object, { ...options, ...failure });
      throw error;
    }
  }

  #request(
    { kindInCluster }: RenderedObject,
    object: KubeObject,
    how: { readonly force?: boolean; readonly resourceVersion?: string; readonly dryRun?: boolean } = {},
  ): Promise<KubeObject> {
    const { client, signal } = this.#context;
    return client.apply(kindInCluster, object, { fieldManager, signal, dryRun: this.#isDryRun, ...how });
  }

  async #settle(
    rendered: RenderedObject,
    object: KubeObject,
    conflicts: readonly FieldOwner[],
    attempt: Attempt,
  ): Promise<KubeObject> {
    const plan = this.#plan(conflicts, attempt);
    if (plan.action === "leave") return this.#request(rendered, leaveOut(object, plan.fields, undefined));
    return this.#takeSoon(rendered, object, { ...attempt, live: undefined });
  }

  /** Controllers write the status of some objects all the time, and each write makes another version. */
  async #takeSoon(rendered: RenderedObject, object: KubeObject, attempt: Attempt): Promise<KubeObject> {
    let { live } = attempt;
    for (let tries = 1; ; tries += 1) {
      live ??= await findLive(this.#context, rendered);
      try {
        return await this.#take(rendered, object, { ...attempt, live });
      } catch (error) {
        if (!hasCode(error, "Conflict") || tries >= takeoverTries) throw error;
        live = undefined;
      }
    }
  }

  #plan(conflicts: readonly FieldOwner[], { wereOurs = false, live, uid }: Attempt): ConflictPlan {
    // Nothing was ever ours in an object that somebody has made anew.
    const isSame = live === undefined || live.metadata.uid === uid;
    const plan = planConflict(conflicts, { policy: this.#policy, wereOurs: wereOurs && isSame });
    if (plan.action === "fail") throw new Refusal(plan.problem, false);
    return plan;
  }

  /** Forced only in a version of the object whose conflicts were looked at: nobody else's fields go along. */
  async #take(rendered: RenderedObject, object: KubeObject, attempt: Attempt): Promise<KubeObject> {
    const { resourceVersion } = attempt.live?.metadata ?? {};
    if (resourceVersion === undefined) return this.#request(rendered, object);
    try {
      return await this.#request(rendered, object, { resourceVersion });
    } catch (error) {
      const failure = failureOf(error, rendered);
      if (failure.kind !== "conflict") throw error;
      const plan = this.#plan(failure.conflicts, attempt);
      if (plan.action === "leave") return this.#request(rendered, leaveOut(object, plan.fields, undefined));
      attempt.taken.splice(0, Infinity, ...failure.conflicts);
    }
    return this.#request(rendered, object, { resourceVersion, force: true });
  }

  async #recreate(
    rendered: RenderedObject,
    object: KubeObject,
    { uid, fields, said }: ApplyOptions & { readonly fields: readonly string[]; readonly said: string },
  ): Promise<KubeObject> {
    const plan = planImmutable(rendered.object, rendered.kindInCluster, { fields, said });
    if (plan.action === "fail") throw new Refusal(plan.problem, false);
    if (this.#isDryRun) return rendered.object;
    const live = await findLive(this.#context, rendered);
    if (live !== undefined) {
      const isOurs =
        live.metadata.uid === uid || live.metadata.labels?.[instanceLabel] === this.#context.instance;
      if (!isOurs) throw new Refusal({ reason: "ImmutableField", message: `${said} ${notOurs}` }, false);
      const end = await deleteAndWait(this.#context, rendered, live, {
        propagation: plan.propagation,
        limitMs: recreateLimitMs,
      });
      if (end.outcome !== "gone") {
        const message = "The object is being deleted to be made anew.";
        throw new Refusal({ reason: "Recreating", message }, true);
      }
    }
    return this.#request(rendered, object);
  }
}

const notOurs =
  "It was made by somebody else, so it is not deleted; delete it yourself or give ours another name.";

function beingDeleted(finalizers: readonly string[]): Refusal {
  const waits = finalizers.length === 0 ? "" : `; it waits for ${finalizers.join(", ")}`;
  const message = `The object is being deleted, and is made anew once it is gone${waits}.`;
  return new Refusal({ reason: "BeingDeleted", message }, true);
}

function isInvalid(failure: Failure): boolean {
  return failure.kind === "refused" && failure.problem.reason === "Invalid";
}

function failureOf(error: unknown, { kindInCluster, namespace, name }: RenderedObject): Failure {
  return classifyFailure(BowlineError.from(error), { resource: kindInCluster, namespace, name });
}

function outcomeOf(error: unknown, rendered: RenderedObject): ApplyOutcome {
  if (error instanceof Refusal) {
    const { problem } = error;
    if (!error.isPassing) return { outcome: "failed", problem };
    return { outcome: "waiting", problem, error: new BowlineError("ReconcileWaiting", problem.message) };
  }
  const failure = failureOf(error, rendered);
  if (failure.kind === "refused") return { outcome: "failed", problem: failure.problem };
  if (failure.kind === "passing") {
    const cause = BowlineError.from(error);
    const { message } = failure.problem;
    // With the message of the problem: that of the cause may quote the value of a Secret.
    const { retryAfterSeconds } = cause.details ?? {};
    const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    const code = cause.retryable ? cause.code : "ReconcileWaiting";
    const waiting = new BowlineError(code, message, { details, retryable: true });
    return { outcome: "waiting", problem: failure.problem, error: waiting };
  }
  const { message } = BowlineError.from(error);
  const reason = failure.kind === "conflict" ? "FieldConflict" : "ImmutableField";
  return { outcome: "failed", problem: { reason, message } };
}
