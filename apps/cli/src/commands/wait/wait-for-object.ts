import type { ApiObject } from "@bowline/api";
import type { Client } from "@bowline/client";
import { BowlineError, withDeadline, type Clock } from "@bowline/core";

import { followObjects } from "../../resources/follow-objects.ts";
import { resourceName, type Resource } from "../../resources/resource.ts";
import { describeState, isMet, type WaitCondition } from "./wait-condition.ts";

interface WaitTurn {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** `Infinity` waits for as long as it takes. */
  readonly timeoutMs: number;
  /** Told how things stand, at first and whenever that changes. */
  readonly onState?: (state: string) => void;
}

/**
 * Waits until the object meets the condition; returns it as it was then, or undefined when it is gone, as it should be.
 * `Timeout` says how things stand; `NotFound` when there is no such object, or no more.
 */
export async function waitForObject(
  resource: Resource,
  condition: WaitCondition,
  turn: WaitTurn,
): Promise<ApiObject | undefined> {
  let state = "the server has not answered yet";
  const onState = (now: string): void => {
    if (now === state) return;
    state = now;
    turn.onState?.(now);
  };
  const onTimeout = (): BowlineError =>
    new BowlineError(
      "Timeout",
      `Gave up waiting for ${resourceName(resource)}: ${state.replace(/\.$/u, "")}.`,
    );
  const follow = (signal: AbortSignal): Promise<FollowEnd> =>
    followObject(resource, condition, { client: turn.client, once: turn.timeoutMs === 0, signal, onState });
  const { clock, signal, timeoutMs: limitMs } = turn;
  // Without any time to wait, there is still the time it takes to look.
  const end =
    limitMs === 0 ? await follow(signal) : await withDeadline(follow, { clock, limitMs, signal, onTimeout });
  if (!end.isMet) throw onTimeout();
  return end.object;
}

interface FollowEnd {
  readonly isMet: boolean;
  readonly object?: ApiObject;
}

interface FollowTurn extends Pick<WaitTurn, "client" | "signal"> {
  /** Look at what is there, and do not wait for changes. */
  readonly once: boolean;
  readonly onState: (state: string) => void;
}

async function followObject(
  resource: Resource,
  condition: WaitCondition,
  { client, signal, once, onState }: FollowTurn,
): Promise<FollowEnd> {
  const { kind, name } = resource;
  const query = { fieldSelector: `metadata.name=${name}` };
  for await (const { isInitial, changes } of followObjects(client, kind, { query, signal })) {
    if (isInitial && changes.length === 0) return gone(resource, condition, "There is no");
    for (const { type, object } of changes) {
      if (type === "DELETED") return gone(resource, condition, "While it was waited for, somebody deleted");
      if (isMet(condition, kind, object)) return { isMet: true, object };
      onState(describeState(condition, kind, object));
    }
    if (once) break;
  }
  return { isMet: false };
}

function gone({ kind, name }: Resource, condition: WaitCondition, what: string): FollowEnd {
  if (condition.for === "deletion") return { isMet: true };
  throw new BowlineError("NotFound", `${what} ${kind.kind} "${name}".`);
}
