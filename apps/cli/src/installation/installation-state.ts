import { isRecord } from "@bowline/core";
import type { ResourceRecord as ProviderRecord } from "@bowline/providers";

import { providerRecordOf } from "./provider-record.ts";

/** The parts of `bowline up`, in their order. Each finds what is there already, so that all of them can be run again. */
export const phaseNames = [
  "preflight",
  "infrastructure",
  "install",
  "wait",
  "bootstrap",
  "register",
  "save",
] as const;
export type PhaseName = (typeof phaseNames)[number];

export interface StepRecord {
  readonly name: PhaseName;
  readonly state: "running" | "done" | "failed";
  readonly at: string;
  readonly detail?: string | undefined;
}

/** A thing outside the state file, by what it is and what it is called. */
export interface ResourceName {
  /** `process`, `folder`, or the kind of a Kubernetes object. */
  readonly type: string;
  /** A path, or the namespace and name of an object. */
  readonly id: string;
}

/**
 * - `intended`: it is to be made, or perhaps was: the process may have ended before it could say so
 * - `made`: it was made, or was there already and is ours
 * - `gone`: it was seen to be gone
 */
export interface ResourceRecord extends ResourceName {
  readonly state: "intended" | "made" | "gone";
  readonly at: string;
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

/** The last ones are clusters that a provider makes first. */
const targetTypes = ["local", "kubernetes", "kind", "eks"] as const;
export type TargetType = (typeof targetTypes)[number];

/** Where an installation is, and how: whatever its target needs to find it again. */
export interface TargetRecord {
  readonly type: TargetType;
  readonly [field: string]: unknown;
}

/** Versions of an upgrade under way. What stood against it was looked at before, and the backup is made. */
export interface UpgradeRecord {
  readonly from: string;
  readonly to: string;
}

/** All that this machine knows about an installation. It holds no secrets. */
export interface InstallationState {
  readonly version: 1;
  /** Unlike any other installation's: everything that can carry a mark carries this one. */
  readonly installation: string;
  readonly name: string;
  readonly target: TargetRecord;
  /** The phase that is under way, or was the last one. */
  readonly phase: PhaseName;
  readonly startedAt: string;
  readonly steps: readonly StepRecord[];
  readonly resources: readonly ResourceRecord[];
  /** What a provider has made, as it remembers it. */
  readonly provided: readonly ProviderRecord[];
  readonly endpoints: Readonly<Record<string, string>>;
  readonly upgrade?: UpgradeRecord | undefined;
}

/** One of which nothing is known yet. */
export function newState(
  names: Pick<InstallationState, "installation" | "name" | "target" | "startedAt">,
): InstallationState {
  return {
    version: 1,
    ...names,
    phase: "preflight",
    steps: [],
    resources: [],
    provided: [],
    endpoints: {},
  };
}

/** Whether every phase was done. */
export function isUp({ steps }: InstallationState): boolean {
  return steps.some(({ name, state }) => name === "save" && state === "done");
}

export function isKnown(resource: ResourceRecord, { type, id }: ResourceName): boolean {
  return resource.type === type && resource.id === id;
}

/** Reads what is there, also of a file of which a part is missing; undefined where it does not even say the target. */
export function parseState(text: string, name: string): InstallationState | undefined {
  const value = parsed(text);
  const target = targetOf(value?.["target"]);
  if (value === undefined || target === undefined) return undefined;
  return {
    version: 1,
    installation: textOf(value["installation"]),
    name,
    target,
    phase: phaseNames.find((phase) => phase === value["phase"]) ?? "preflight",
    startedAt: textOf(value["startedAt"]),
    steps: listOf(value["steps"]).flatMap(stepOf),
    resources: listOf(value["resources"]).flatMap(resourceOf),
    provided: listOf(value["provided"]).flatMap(providerRecordOf),
    endpoints: textsOf(value["endpoints"]),
    ...upgradeOf(value["upgrade"]),
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function targetOf(value: unknown): TargetRecord | undefined {
  if (!isRecord(value)) return undefined;
  const type = targetTypes.find((each) => each === value["type"]);
  return type === undefined ? undefined : { ...value, type };
}

function stepOf(value: Readonly<Record<string, unknown>>): StepRecord[] {
  const name = phaseNames.find((phase) => phase === value["name"]);
  const state = (["running", "done", "failed"] as const).find((each) => each === value["state"]);
  if (name === undefined || state === undefined) return [];
  const { detail } = value;
  return [{ name, state, at: textOf(value["at"]), ...(typeof detail === "string" ? { detail } : {}) }];
}

function resourceOf(value: Readonly<Record<string, unknown>>): ResourceRecord[] {
  const { type, id, attributes } = value;
  const state = (["intended", "made", "gone"] as const).find((each) => each === value["state"]);
  if (typeof type !== "string" || typeof id !== "string" || state === undefined) return [];
  const known = isRecord(attributes) ? { attributes: textsOf(attributes) } : {};
  return [{ type, id, state, at: textOf(value["at"]), ...known }];
}

function upgradeOf(value: unknown): Pick<InstallationState, "upgrade"> {
  const { from, to } = textsOf(value);
  return from === undefined || to === undefined ? {} : { upgrade: { from, to } };
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {};
  const entries = Object.entries(value).flatMap(([key, text]) =>
    typeof text === "string" ? [[key, text] as const] : [],
  );
  return Object.fromEntries(entries);
}
