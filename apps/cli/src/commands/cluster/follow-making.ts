import { Cluster } from "@bowline/api";
import type { Client, ReadObject } from "@bowline/client";
import { BowlineError, withDeadline, type Clock } from "@bowline/core";

import { printableLine } from "../../output/terminal-text.ts";
import { describeStep } from "../../resources/describe-provisioning.ts";
import { followObjects } from "../../resources/follow-objects.ts";
import { isMet } from "../../resources/wait-for-object.ts";

export type MadeCluster = ReadObject<typeof Cluster>;

/** How far it is. */
export interface MakingState {
  /** In words, on one line. */
  readonly text: string;
  /** When the step under way began, by the clock of the server; missing where there is none. */
  readonly since?: string | undefined;
}

interface FollowMakingOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Told whenever that changes. */
  readonly onState: (state: MakingState) => void;
  readonly onLost: (error: Error) => void;
}

/**
 * Watches a Cluster until it can be worked with. `ReconcileStalled` when a person has to do something about it, or it is
 * gone; `Timeout` says how far it was; `NotFound` when somebody has deleted the object.
 */
export async function followMaking(
  made: Pick<MadeCluster["metadata"], "name" | "id">,
  { client, clock, signal, timeoutMs, onState, onLost }: FollowMakingOptions,
): Promise<MadeCluster> {
  let last = "the server has not begun yet";
  const tell = (state: MakingState): void => {
    if (state.text === last) return;
    last = state.text;
    onState(state);
  };
  const onTimeout = (): BowlineError =>
    new BowlineError("Timeout", `Gave up waiting for cluster/${made.name}: ${last.replace(/\.$/u, "")}.`);
  const watch = (watchSignal: AbortSignal): Promise<MadeCluster> =>
    untilReady(made, { client, signal: watchSignal, onState: tell, onLost });
  return withDeadline(watch, { clock, limitMs: timeoutMs, signal, onTimeout });
}

async function untilReady(
  { name, id }: Pick<MadeCluster["metadata"], "name" | "id">,
  { client, signal, onState, onLost }: Pick<FollowMakingOptions, "client" | "signal" | "onState" | "onLost">,
): Promise<MadeCluster> {
  const query = { fieldSelector: `metadata.name=${name}` };
  for await (const { isInitial, changes } of followObjects(client, Cluster, { query, signal, onLost })) {
    if (isInitial && changes.length === 0) throw deleted(name);
    for (const { type, object } of changes) {
      if (type === "DELETED" || object.metadata.id !== id) throw deleted(name);
      if (object.metadata.deletedAt !== undefined) throw deleted(name);
      if (isMet({ for: "condition", type: "Ready", status: "True" }, object)) return object;
      refuseStuck(object);
      onState(stateOf(object));
    }
  }
  throw new BowlineError("Cancelled", "The watch has ended.");
}

function deleted(name: string): BowlineError {
  return new BowlineError("NotFound", `While it was being made, somebody deleted cluster/${name}.`);
}

/** Whatever goes on by itself is waited for; a person who has to do something is told at once. */
function refuseStuck({ metadata: { name }, status }: MadeCluster): void {
  const { provisioning } = status;
  const provisioned = conditionOf(status, "Provisioned");
  const isUnavailable = provisioned?.reason === "ProviderUnavailable";
  if (provisioning?.state !== "Blocked" && provisioning?.state !== "Lost" && !isUnavailable) return;
  const { reason = "", message = "" } = (isUnavailable ? provisioned : conditionOf(status, "Progress")) ?? {};
  const why = printableLine(`${reason}, ${message}`);
  const what = provisioning?.state === "Lost" ? "was there, and is gone" : "cannot be made yet";
  throw new BowlineError("ReconcileStalled", `cluster/${name} ${what}: ${why}`, {
    details: { reason, state: provisioning?.state ?? "Unavailable" },
  });
}

/** The step under way; behind it what is in the way of the agent, where that is something else. */
function stateOf({ status }: MadeCluster): MakingState {
  const { provisioning } = status;
  const step = describeStep(provisioning);
  const isJoining = provisioning?.state === "Joining" || provisioning?.state === "Provisioned";
  const condition = conditionOf(status, isJoining ? "AgentConnected" : "Progress");
  const why = printableLine(condition?.message ?? "").replace(/\.$/u, "");
  const parts = [step, ...(step?.includes(why) === true ? [] : [why])];
  const text = parts.filter((part) => part !== undefined && part !== "").join("; ");
  return { text: text === "" ? "the server has not begun yet" : text, since: provisioning?.step?.since };
}

function conditionOf(
  { conditions }: MadeCluster["status"],
  wanted: "Provisioned" | "Progress" | "AgentConnected",
): MadeCluster["status"]["conditions"][number] | undefined {
  return conditions.find(({ type }) => type === wanted);
}
