import { WorkloadDefinition, WorkloadInstance, WorkloadPlacement, type Kind } from "@bowline/api";
import type { Client, ReadObject } from "@bowline/client";
import { BowlineError, LinkedAbortController, withDeadline, type Clock } from "@bowline/core";

import { printableLine } from "../output/terminal-text.ts";
import { followObjects } from "../resources/follow-objects.ts";
import { rolloutState, type Rollout, type RolloutState } from "./rollout.ts";

export interface WaitForRolloutOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** 0 looks once. */
  readonly timeoutMs: number;
  /** Give up as soon as only a person can help; otherwise somebody may have been asked to already. */
  readonly untilStuck: boolean;
  /** Told how things stand, at first and after each change. */
  readonly onChange?: (rollout: Rollout, state: RolloutState) => void;
}

/**
 * Waits until what the definition of an instance says now is applied and healthy in all its clusters. `Timeout` and
 * `ReconcileStalled` say how things stand; `NotFound` when there is no such instance, or no more.
 */
export async function waitForRollout(name: string, options: WaitForRolloutOptions): Promise<RolloutState> {
  const { client, clock, signal, timeoutMs, untilStuck, onChange } = options;
  const instance = await client.get(WorkloadInstance, name, { signal });
  let last: RolloutState = rolloutState({ instance, definition: undefined, placements: new Map() });
  const isOver = (rollout: Rollout): boolean => {
    last = rolloutState(rollout);
    onChange?.(rollout, last);
    return timeoutMs === 0 || last.state === "ready" || (untilStuck && last.state === "stuck");
  };
  const follow = (limited: AbortSignal): Promise<void> =>
    followRollout(instance, { client, signal: limited, isOver });
  const onTimeout = (): BowlineError => gaveUp("Timeout", name, last);
  // Without any time to wait, there is still the time it takes to look.
  if (timeoutMs === 0) await follow(signal);
  else await withDeadline(follow, { clock, limitMs: timeoutMs, signal, onTimeout });
  if (last.state === "ready") return last;
  throw last.state === "stuck" ? gaveUp("ReconcileStalled", name, last) : onTimeout();
}

function gaveUp(code: "Timeout" | "ReconcileStalled", name: string, last: RolloutState): BowlineError {
  const why = `${last.reason}: ${last.message}`.replace(/\.$/u, "");
  const verb = code === "Timeout" ? "Gave up waiting for" : "There is no use in waiting for";
  return new BowlineError(code, printableLine(`${verb} workloadinstance/${name}: ${why}.`), {
    details: { reason: last.reason },
  });
}

interface FollowRolloutOptions {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Told of each change; true ends it. */
  readonly isOver: (rollout: Rollout) => boolean;
}

type Remember<K extends Kind> = (object: ReadObject<K>, isGone: boolean) => void;

/** Follows an instance, its definition and its placements until somebody has seen enough. */
async function followRollout(instance: WorkloadInstance, options: FollowRolloutOptions): Promise<void> {
  using ended = new LinkedAbortController(options.signal);
  const { client, isOver } = options;
  const { name } = instance.metadata;
  const placements = new Map<string, WorkloadPlacement>();
  let current = instance;
  let definition: WorkloadDefinition | undefined;
  let listed = 0;
  const follow = async <K extends Kind>(
    kind: K,
    fieldSelector: string,
    remember: Remember<K>,
  ): Promise<void> => {
    const batches = followObjects(client, kind, { query: { fieldSelector }, signal: ended.signal });
    for await (const { isInitial, changes } of batches) {
      for (const { type, object } of changes) remember(object, type === "DELETED");
      if (isInitial) listed += 1;
      // Before all three have been listed, what is missing may only not have been read yet.
      if (listed === 3 && isOver({ instance: current, definition, placements })) return;
    }
  };
  const followers = [
    follow(WorkloadInstance, `metadata.name=${name}`, (object, isGone) => {
      if (isGone) throw new BowlineError("NotFound", `Somebody deleted WorkloadInstance "${name}".`);
      current = object;
    }),
    follow(WorkloadDefinition, `metadata.name=${instance.spec.definition}`, (object, isGone) => {
      definition = isGone ? undefined : object;
    }),
    follow(WorkloadPlacement, `spec.instance=${name}`, (object, isGone) => {
      if (isGone) placements.delete(object.metadata.name);
      else placements.set(object.metadata.name, object);
    }),
  ];
  try {
    await Promise.race(followers);
  } finally {
    ended.abort(new BowlineError("Cancelled", "The rollout is not followed any more."));
    await Promise.allSettled(followers);
  }
}
