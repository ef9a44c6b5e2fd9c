import {
  matchesFields,
  parseFieldSelector,
  type ApiObject,
  type FieldRequirement,
  type Kind,
} from "@bowline/api";
import type { Client } from "@bowline/client";
import { BowlineError, closest, withDeadline, type Clock } from "@bowline/core";

import { printableLine } from "../output/terminal-text.ts";
import { followObjects } from "./follow-objects.ts";
import { deletedFirst, describeDeletion } from "./describe-deletion.ts";
import { resourceName, type FoundObject, type Resource } from "./resource.ts";

interface WaitForObjectOptions {
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
  options: WaitForObjectOptions,
): Promise<ApiObject | undefined> {
  let state = "the server has not answered yet";
  const onState = (now: string): void => {
    if (now === state) return;
    state = now;
    options.onState?.(now);
  };
  const onTimeout = (): BowlineError =>
    new BowlineError(
      "Timeout",
      `Gave up waiting for ${resourceName(resource)}: ${state.replace(/\.$/u, "")}.`,
    );
  const follow = (signal: AbortSignal): Promise<FollowEnd> =>
    followObject(resource, condition, {
      client: options.client,
      once: options.timeoutMs === 0,
      signal,
      onState,
    });
  const { clock, signal, timeoutMs: limitMs } = options;
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

interface FollowObjectOptions extends Pick<WaitForObjectOptions, "client" | "signal"> {
  /** Look at what is there, and do not wait for changes. */
  readonly once: boolean;
  readonly onState: (state: string) => void;
}

async function followObject(
  resource: Resource,
  condition: WaitCondition,
  { client, signal, once, onState }: FollowObjectOptions,
): Promise<FollowEnd> {
  const { kind, name } = resource;
  const query = { fieldSelector: `metadata.name=${name}` };
  for await (const { isInitial, changes } of followObjects(client, kind, { query, signal })) {
    if (isInitial && changes.length === 0) return gone(resource, condition, "There is no");
    for (const { type, object } of changes) {
      if (type === "DELETED") return gone(resource, condition, "While it was waited for, somebody deleted");
      if (isMet(condition, object)) return { isMet: true, object };
      const isGoing = condition.for === "deletion";
      const referrers = isGoing ? await deletedFirst(client, resource, { object, signal }) : [];
      onState(describeState(condition, object, referrers));
    }
    if (once) break;
  }
  return { isMet: false };
}

function gone({ kind, name }: Resource, condition: WaitCondition, what: string): FollowEnd {
  if (condition.for === "deletion") return { isMet: true };
  throw new BowlineError("NotFound", `${what} ${kind.kind} "${name}".`);
}

/**
 * The state that is waited for.
 *
 * - `condition`: the condition has this status, and was found out about the spec as it is now
 * - `fields`: every requirement holds
 * - `deletion`: the object is gone; with an id, another one of the same name does not count
 */
export type WaitCondition =
  | { readonly for: "condition"; readonly type: string; readonly status: string }
  | { readonly for: "fields"; readonly text: string; readonly requirements: readonly FieldRequirement[] }
  | { readonly for: "deletion"; readonly id?: string };

const statuses = ["True", "False", "Unknown"];

/** Whether `--for` asks for objects to be gone; both words are kubectl's. */
export function isForDeletion(text: string): boolean {
  return text === "delete" || text === "deleted";
}

/**
 * Reads `condition=Ready`, `condition=Ready=False`, `healthy`, `delete`, or `spec.region=eu-1`. Throws
 * `InvalidArgument`.
 */
export function parseWaitCondition(kind: Kind, text: string): WaitCondition {
  if (isForDeletion(text)) return { for: "deletion" };
  if (text === "healthy") return parseWaitCondition(kind, "condition=Healthy");
  if (!text.startsWith("condition=")) {
    if (text.includes("=")) return { for: "fields", text, requirements: parseFieldSelector(kind, text) };
    throw new BowlineError(
      "InvalidArgument",
      `«${text.slice(0, 64)}» cannot be waited for; give condition=Ready, condition=Ready=False, healthy, delete, or a field such as metadata.name=a.`,
    );
  }
  const [, type = "", status = "True"] = text.split("=");
  return { for: "condition", type: requireConditionType(kind, type), status: requireStatus(status) };
}

function requireConditionType(kind: Kind, type: string): string {
  const known = Object.keys(kind.conditions);
  const found = known.find((name) => name.toLowerCase() === type.toLowerCase());
  if (found !== undefined) return found;
  if (known.length === 0) throw new BowlineError("InvalidArgument", `A ${kind.kind} has no conditions.`);
  const meant = closest(type, known);
  const hint = meant === undefined ? `; they are ${known.join(", ")}.` : `; did you mean «${meant}»?`;
  throw new BowlineError("InvalidArgument", `A ${kind.kind} has no condition «${type.slice(0, 64)}»${hint}`);
}

function requireStatus(status: string): string {
  const found = statuses.find((name) => name.toLowerCase() === status.toLowerCase());
  if (found !== undefined) return found;
  throw new BowlineError(
    "InvalidArgument",
    `A condition is True, False or Unknown, not «${status.slice(0, 64)}».`,
  );
}

/** Whether an object that is there meets the condition. */
export function isMet(condition: WaitCondition, object: ApiObject): boolean {
  switch (condition.for) {
    case "deletion":
      return condition.id !== undefined && object.metadata.id !== condition.id;
    case "fields":
      return matchesFields(condition.requirements, object);
    case "condition":
    default: {
      const found = conditionOf(object, condition.type);
      const isStale = (found?.observedGeneration ?? 0) < object.metadata.generation;
      return (isStale ? "Unknown" : (found?.status ?? "Unknown")) === condition.status;
    }
  }
}

/** How things stand, for whoever waits: `Ready is False: AgentMissing, no agent has connected yet`. */
export function describeState(
  condition: WaitCondition,
  object: ApiObject,
  referrers: readonly FoundObject[] = [],
): string {
  if (condition.for === "fields") return `${condition.text} does not hold yet`;
  if (condition.for === "deletion") return describeDeletion(object, referrers);
  const found = conditionOf(object, condition.type);
  if (found === undefined) return `${condition.type} is not known yet`;
  if (found.observedGeneration < object.metadata.generation) {
    return `${condition.type} is not known yet for its last change`;
  }
  const why = [found.reason, found.message].filter((text) => text !== "").map(printableLine);
  return `${condition.type} is ${found.status}${why.length === 0 ? "" : `: ${why.join(", ")}`}`;
}

function conditionOf(object: ApiObject, type: string): ApiObject["status"]["conditions"][number] | undefined {
  return object.status.conditions.find((condition) => condition.type === type);
}
