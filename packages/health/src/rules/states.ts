import { isRecord } from "@bowline/core";

import { numberAt, textAt, type Facts } from "../facts/read-facts.ts";
import { degraded, progressing, suspended, verdict } from "../verdict.ts";
import { strong, weak, type Sign } from "./sign.ts";
import { soundsLike } from "./words.ts";

/** Fields whose text is a state. */
const stateName = /(?:phase|state|status|health|robustness|compliant|stage|result)$/iu;

/** Fields that hold a text only when something is wrong. */
const errorName = /^(?:error|errmsg|errormessage|lasterror|failuremessage|failurereason)$/iu;

const badWhenFalse = /^(?:healthy|applied|success|succeeded|compliant)$/iu;
const waitsWhenFalse = /^(?:ready|readyToUse|available)$/iu;
const badWhenTrue = /^(?:failed|degraded)$/iu;
const restsWhenTrue = /^(?:paused|suspended)$/iu;

/** Objects of such kinds are there to come to an end, so that running is not yet where they should be. */
export const runsToAnEnd = (kind: string): boolean =>
  /(?:Run|Job|Workflow|Task|Backup|Restore|Migration|Snapshot|Evaluation|Experiment)$/u.test(kind);

export interface StateSigns {
  /** Of the status itself. */
  readonly top: readonly Sign[];
  /** Of what is inside of it: parts, the last operation, other clusters. */
  readonly nested: readonly Sign[];
  /** Texts that are only there when something went wrong, now or before. */
  readonly errors: readonly Sign[];
}

/** The signs in phases, states, flags and errors of any kind. */
export function stateSigns(facts: Facts): StateSigns {
  const top: Sign[] = [];
  const nested: Sign[] = [];
  const errors: Sign[] = [];
  const kind = textAt(facts, "kind");

  const walk = (holder: Readonly<Record<string, unknown>>, path: string): void => {
    for (const [name, value] of Object.entries(holder)) {
      if (name === "conditions") continue;
      const at = path === "" ? name : `${path}.${name}`;
      if (typeof value === "string" && errorName.test(name) && value.trim() !== "") {
        errors.push(strong(degraded(pascal(name), `${at} says: ${value}`)));
      }
      const sign = signOf(name, at, value, { holder, kind });
      if (sign !== undefined) (path === "" ? top : nested).push(sign);
      if (isRecord(value)) walk(value, at);
      else if (Array.isArray(value)) for (const item of value) if (isRecord(item)) walk(item, at);
    }
  };

  const status = facts["status"];
  if (isRecord(status)) walk(status, "");
  return { top, nested, errors };
}

interface Surroundings {
  readonly holder: Readonly<Record<string, unknown>>;
  readonly kind: string;
}

function signOf(name: string, path: string, value: unknown, around: Surroundings): Sign | undefined {
  if (typeof value === "boolean") return flagSign(name, path, value);
  if (typeof value !== "string" || !stateName.test(name)) return undefined;
  const sound = soundsLike(value);
  if (sound === undefined) return undefined;
  const told = [
    textAt(around.holder, "message"),
    textAt(around.holder, "phaseReason"),
    textAt(around.holder, "reason"),
  ];
  const why = told.find((words) => words.trim() !== "");
  const words = `${path} is ${value}${why === undefined ? "" : `: ${why}`}`;
  const isUnfinished = sound === "Healthy" && runsToAnEnd(around.kind) && /running|active/iu.test(value);
  return strong(isUnfinished ? progressing(value, words) : verdict(sound, value, words));
}

function flagSign(name: string, path: string, value: boolean): Sign | undefined {
  if (!value && badWhenFalse.test(name)) return strong(degraded(`Not${pascal(name)}`, `${path} is false`));
  if (!value && waitsWhenFalse.test(name)) return weak(progressing(`Not${pascal(name)}`, `${path} is false`));
  if (value && badWhenTrue.test(name)) return strong(degraded(pascal(name), `${path} is true`));
  if (value && restsWhenTrue.test(name)) return strong(suspended(pascal(name), `${path} is true`));
  return undefined;
}

const pascal = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

/** The signs in counts of copies, as every kind has them that can be scaled. */
export function replicaSigns(facts: Facts): Sign[] {
  const status = facts["status"];
  const all = numberAt(status, "replicas");
  const desired = numberAt(facts, "spec", "replicas") ?? all;
  if (desired === undefined || desired === 0) return [];
  const short = (["updatedReplicas", "readyReplicas", "availableReplicas"] as const)
    .map((name) => ({ name, count: numberAt(status, name) }))
    .find(({ count }) => count !== undefined && count < desired);
  if (short === undefined) return [];
  return [strong(progressing("RollingOut", `${short.name} is ${short.count}, and ${desired} are wanted`))];
}
