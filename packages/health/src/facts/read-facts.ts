import { isRecord } from "@bowline/core";

/** Facts as they are read: they come from agents of any version, so nothing is taken for granted. */
export type Facts = Readonly<Record<string, unknown>>;

type Path = readonly string[];

/** The value at a path of own fields, or undefined. */
export function valueAt(holder: unknown, ...path: Path): unknown {
  let value: unknown = holder;
  for (const step of path) {
    if (!isRecord(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

/** The text at a path; empty where there is none. */
export function textAt(holder: unknown, ...path: Path): string {
  const value = valueAt(holder, ...path);
  return typeof value === "string" ? value : "";
}

export function numberAt(holder: unknown, ...path: Path): number | undefined {
  const value = valueAt(holder, ...path);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The number at a path, or zero: Kubernetes leaves out counts that are zero. */
export function countAt(holder: unknown, ...path: Path): number {
  return numberAt(holder, ...path) ?? 0;
}

export function isTrueAt(holder: unknown, ...path: Path): boolean {
  return valueAt(holder, ...path) === true;
}

/** The list at a path; empty where there is none. */
export function listAt(holder: unknown, ...path: Path): readonly unknown[] {
  const value = valueAt(holder, ...path);
  return Array.isArray(value) ? value : [];
}

/** The group of `apps/v1` is `apps`; that of `v1` is empty. */
export function groupOf(facts: Facts): string {
  const version = textAt(facts, "apiVersion");
  return version.includes("/") ? version.slice(0, version.indexOf("/")) : "";
}

/** A condition of a status, as Kubernetes and most controllers write them. */
export interface Condition {
  readonly type: string;
  /** `True`, `False`, `Unknown`, or whatever else a controller thought of. */
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly severity: string;
  readonly observedGeneration: number | undefined;
}

/** The conditions in a status, or in what is inside of one. */
export function conditionsIn(holder: unknown): Condition[] {
  return listAt(holder, "conditions")
    .map((item) => ({
      // Some controllers put their name before it: `platform.example.com/app-ready`.
      type: textAt(item, "type").replace(/^.*\//u, ""),
      status: statusWord(valueAt(item, "status")),
      reason: textAt(item, "reason"),
      message: textAt(item, "message"),
      severity: textAt(item, "severity"),
      observedGeneration: numberAt(item, "observedGeneration"),
    }))
    .filter(({ type }) => type !== "");
}

function statusWord(status: unknown): string {
  if (typeof status === "boolean") return status ? "True" : "False";
  return typeof status === "string" ? status : "Unknown";
}

export function conditionOf(facts: Facts, type: string): Condition | undefined {
  return conditionsIn(facts["status"]).find((condition) => condition.type === type);
}

/** The words that explain a condition: its message, or its reason where it has none. */
export function explanation({ message, reason, type, status }: Condition): string {
  if (message.trim() !== "") return message;
  return reason === "" ? `condition ${type} is ${status}` : `${type} is ${status}, ${reason}`;
}

/** Whether the controller has not yet seen the newest spec, so that its status is about an older one. */
export function isUnobserved(facts: Facts): boolean {
  const generation = numberAt(facts, "generation");
  const observed = valueAt(facts, "status", "observedGeneration");
  if (generation === undefined) return false;
  // Argo Rollouts writes it as text, and older ones a hash that says nothing about order.
  const seen = typeof observed === "string" && /^[0-9]{1,15}$/u.test(observed) ? Number(observed) : observed;
  return typeof seen === "number" && seen < generation;
}
