import { isRecord } from "@bowline/core";

import { conditionsIn, explanation, numberAt, type Condition, type Facts } from "../facts/read-facts.ts";
import { degraded, healthy, progressing, suspended, verdict } from "../verdict.ts";
import { strong, weak, type Sign } from "./sign.ts";
import { beginsWithFailure, soundsLike, tellsOfFailure, tellsOfProgress } from "./words.ts";

/** Conditions that speak for the whole object. If one of them is true, others that speak for parts are not asked. */
const summaries = /^(?:Ready|Available|Healthy|Succeeded|Completed?|Successful|app-ready)$/u;

/** Conditions that are asked in any case: the object is not in effect without them. */
const essentials = /^(?:.*Synced|.*Accepted|ResolvedRefs|Programmed|Valid|Reconciled)$/u;

/** Conditions that are false when all is well. */
const faults =
  /(?:Failed|Failing|Failure|Errors?|ErrorOccurred|Degraded|Unhealthy|Unavailable|Invalid|Pressure|Conflict(?:ed)?|Stalled|Rejected|Violation|Mismatch|Missing|NotReady)$|^(?:Failed|Invalid|HasError|Fallback$)/iu;

/**
 * Conditions that are true while something is under way, which the field says in participles: `Reconciling`, `Issuing`,
 * `ScalingUp`. `Progressing` of a Deployment is true afterwards too.
 */
const progress =
  /(?:Pending|Progressing|InProgress)$|^(?!(?:Running|Serving|Working|Listening|Existing|Warning|Missing)$)[A-Z][a-z]+ing(?:Up|Down|Out)?$/u;

/** Conditions that are true while somebody, or the controller itself, leaves the object alone. */
const rest = /^(?:.*Paused|Suspended|Ignored|Hibernated|Stopped|Disabled)$/u;

/** Parts that should be true, by how they end. */
const parts =
  /(?:Ready|Available|Healthy|Succeeded|Succeeding|Deployed|Applied|Configured|Established|Scheduled|Discoverable)$/iu;

export interface ConditionSigns {
  readonly signs: readonly Sign[];
  /** A condition that speaks for the whole object says that all is well. */
  readonly isSummed: boolean;
  readonly types: ReadonlySet<string>;
}

/** The signs in the conditions of any kind. Conditions about an older generation are not asked. */
export function conditionSigns(facts: Facts): ConditionSigns {
  const generation = numberAt(facts, "generation") ?? 0;
  const all = allConditions(facts);
  const current = all.filter(({ observedGeneration }) => (observedGeneration ?? generation) >= generation);
  const isSummed = current.some(({ type, status }) => summaries.test(type) && status === "True");
  const types = new Set(current.map(({ type }) => type));
  const isBehind = all.some(({ type }) => !types.has(type) && (summaries.test(type) || current.length === 0));
  return {
    signs: [
      ...(isBehind
        ? [strong(progressing("NotObserved", "The conditions are about an older generation of the object."))]
        : []),
      ...current.flatMap((condition) => signOf(condition, isSummed) ?? []),
    ],
    isSummed,
    types,
  };
}

/** The conditions of the object; where it has none, those that each of its parents or ancestors has about it. */
function allConditions(facts: Facts): Condition[] {
  const status = facts["status"];
  const own = conditionsIn(status);
  if (own.length > 0 || !isRecord(status)) return own;
  return Object.values(status).flatMap((part) => (Array.isArray(part) ? part.flatMap(conditionsIn) : []));
}

function signOf(condition: Condition, isSummed: boolean): Sign | undefined {
  const { type, status, reason } = condition;
  if (status !== "True" && /Paused|Suspended/u.test(reason)) {
    return strong(suspended(reason, `It is put to rest: ${explanation(condition)}`));
  }
  if (rest.test(type)) {
    return status === "True"
      ? strong(suspended(reason || type, `It is put to rest: ${explanation(condition)}`))
      : undefined;
  }
  if (faults.test(type)) return status === "True" ? faultSign(condition) : undefined;
  if (progress.test(type)) return progressSign(condition);
  const speaksForAll = summaries.test(type);
  if (isSummed && !speaksForAll && !essentials.test(type)) return undefined;
  if (status === "True") return trueSign(condition);
  if (status === "False") return falseSign(condition, speaksForAll || essentials.test(type));
  if (status === "Unknown") return unknownSign(condition, speaksForAll);
  return strong(
    verdict("Unknown", "UnexpectedStatus", `Condition ${type} is neither true nor false, but ${status}.`),
  );
}

/** Most controllers begin with `Unknown`; one that gives a fault as its reason has tried, and cannot tell. */
function unknownSign(condition: Condition, speaksForAll: boolean): Sign {
  const { type, reason } = condition;
  const words = `${type} is not known: ${explanation(condition)}`;
  if (speaksForAll && soundsLike(reason) === "Degraded") return strong(verdict("Unknown", reason, words));
  const sign = progressing(reason || "Unknown", words);
  return speaksForAll ? strong(sign) : weak(sign);
}

function faultSign(condition: Condition): Sign {
  const { type, reason } = condition;
  if (type === "NotReady" && soundsLike(reason) === "Progressing") {
    return strong(progressing(reason, `It is not ready yet: ${explanation(condition)}`));
  }
  return strong(degraded(reason || type, `${type}: ${explanation(condition)}`));
}

function progressSign(condition: Condition): Sign | undefined {
  const { type, status, reason } = condition;
  const sound = soundsLike(reason);
  if (status === "True") {
    // A rollout that is over says so in its reason: `NewReplicaSetAvailable`.
    if (sound === "Healthy") return undefined;
    return strong(progressing(reason || type, `${type}: ${explanation(condition)}`));
  }
  return status === "False" && sound === "Degraded" && type === "Progressing"
    ? strong(degraded(reason, `It does not get on: ${explanation(condition)}`))
    : undefined;
}

/** Operators made with Ansible say `Running` while they are at it. */
function trueSign(condition: Condition): Sign {
  const { type, reason, message } = condition;
  if (type === "Running" && tellsOfProgress(`${reason} ${message}`)) {
    return strong(progressing(reason || type, `It is being worked on: ${explanation(condition)}`));
  }
  const words = message === "" ? `${type} is true` : `${type}: ${message}`;
  return summaries.test(type) ? strong(healthy(reason || type, words)) : weak(healthy(reason || type, words));
}

/** Whether it is a fault or merely not done yet is for the words to tell; without any it may be either. */
function falseSign(condition: Condition, isDecisive: boolean): Sign | undefined {
  const { type, reason, message, severity } = condition;
  const why = reason || `Not${type}`;
  const words = `${type} is false: ${message || reason || "no reason is given"}`;
  const sound = severity === "Info" ? "Progressing" : severity === "Error" ? "Degraded" : soundOf(reason);
  if (sound === "Suspended") return strong(suspended(why, words));
  if (sound === "Degraded" || sound === "Missing") return strong(degraded(why, words));
  if (sound === "Progressing") {
    return strong(beginsWithFailure(message) ? degraded(why, words) : progressing(why, words));
  }
  if (tellsOfFailure(message)) return strong(degraded(why, words));
  if (tellsOfProgress(message)) return strong(progressing(why, words));
  // Of other things that are not ready, this one will wait.
  if (notReady.test(reason) && reason.replace(notReady, "") !== "") return weak(progressing(why, words));
  return isDecisive || parts.test(type) ? weak(degraded(why, words)) : undefined;
}

/** A reason such as `NotReady` only says again that the condition is false. */
const notReady = /(?:Is)?(?:Not|Un)(?:Ready|Available|Healthy)/iu;

function soundOf(reason: string): ReturnType<typeof soundsLike> {
  return soundsLike(reason.replace(notReady, ""));
}
