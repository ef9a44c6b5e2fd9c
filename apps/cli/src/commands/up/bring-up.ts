import { randomUUID } from "node:crypto";

import { BowlineError, errorCodes } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { CommandExit } from "../../command/failure.ts";
import { readConfig } from "../../connection/config-file.ts";
import { requireInstallationName } from "../../installation/installation-name.ts";
import {
  isUp,
  newState,
  phaseNames,
  type InstallationState,
  type PhaseName,
  type TargetType,
} from "../../installation/installation-state.ts";
import { lockAsFound } from "../../installation/installation-lock.ts";
import { Ledger } from "../../installation/ledger.ts";
import { openTarget, type TargetRequest } from "../../installation/open-target.ts";
import { runUp } from "../../installation/run-up.ts";
import { StateFiles, type FoundState } from "../../installation/state-files.ts";
import { requireSameVersion } from "../../installation/same-version.ts";
import type { Call, PhaseContext, Target } from "../../installation/target.ts";
import { TableWriter } from "../../output/table-writer.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { PhaseLines } from "./phase-lines.ts";
import type { UpFlags } from "./up.ts";

/** Replaced by tests that end the program in the middle. */
export interface UpEffects {
  readonly call: Call;
  readonly files: StateFiles;
  readonly openWay?: TargetRequest["openWay"];
  readonly aws?: TargetRequest["aws"];
}

export function usualEffects({ environment }: Pick<CommandContext, "environment">): UpEffects {
  return { call: (_subject, call) => call(), files: new StateFiles(environment) };
}

export async function bringUp(
  context: CommandContext,
  flags: UpFlags,
  effects: UpEffects = usualEffects(context),
): Promise<void> {
  const given = givenType(flags);
  const name = requireInstallationName(flags.name ?? (given === undefined ? "local" : "bowline"));
  const found = await effects.files.read(name);
  const type = given ?? typeBefore(found, flags);
  const before = requireUsable(found, type);
  const from = requirePhase(flags.from, before);
  const target = await openTarget(context, {
    name,
    flags,
    type,
    before: before?.target,
    openWay: effects.openWay,
    aws: effects.aws,
  });
  await using _target = closing(target);
  if (flags.plan) return showPlan(context, { name, target, before });
  return goThrough(context, { name, target, found, before, from }, effects);
}

interface Raising {
  readonly name: string;
  readonly target: Target;
  readonly found: FoundState | undefined;
  /** That of it which is gone on with. */
  readonly before: InstallationState | undefined;
  readonly from: PhaseName;
}

/** All phases, or those that are left of them. */
async function goThrough(
  context: CommandContext,
  { name, target, found, before, from }: Raising,
  effects: UpEffects,
): Promise<void> {
  const { environment, terminal, clock, signal } = context;
  using _lock = await lockAsFound(effects.files, name, found);
  await requireFreeContext(environment, name, before);
  const startedAt = new Date(clock.now()).toISOString();
  const installation = before?.installation ?? (await target.earlier?.()) ?? randomUUID();
  const state = before ?? newState({ installation, name, target: target.record, startedAt });
  const ledger = new Ledger({ state, write: (next) => effects.files.write(next), now: () => clock.now() });
  using lines = new PhaseLines(context);
  const phases: PhaseContext = {
    ledger,
    call: effects.call,
    clock,
    signal,
    progress: (text) => lines.progress(text),
  };
  if (before !== undefined && isUp(before)) await requireSameVersion(target, phases, context.version);
  if (await isUpAlready(target, phases, before)) {
    return terminal.out(
      `"${name}" is up already, at ${state.endpoints["server"] ?? "an unknown address"}.\n`,
    );
  }
  if (before !== undefined) terminal.error(goesOn(before));
  try {
    await runUp({ target, context: phases, environment, from, onPhase: (event) => lines.show(event) });
  } catch (error) {
    const isNothing = ledger.existing().length === 0 && ledger.provided().length === 0;
    // Whoever gave a wrong flag has nothing to go on with, and the name is free.
    if (isNothing) await effects.files.remove(name).catch(() => undefined);
    throw stopped(context, { ledger, costs: target.cost?.(phases) ?? "" }, error);
  }
  terminal.out(isUpNow(name, target, { state: ledger.state, costs: target.cost?.(phases) ?? "" }));
}

/** For `await using`: a target ends what it has started for itself. */
export function closing({ close }: Pick<Target, "close">): AsyncDisposable {
  return { [Symbol.asyncDispose]: async () => close?.() };
}

/** A place other than this machine, where flags name one. */
export function givenType({
  kubeconfig,
  kubeContext,
  kind,
  eks,
}: Pick<UpFlags, "kubeconfig" | "kubeContext" | "kind" | "eks">): TargetType | undefined {
  if (kind === true) return "kind";
  if (eks === true) return "eks";
  return kubeconfig === undefined && kubeContext === undefined ? undefined : "kubernetes";
}

/** Whoever goes on by name alone means the place where it was begun. */
function typeBefore(found: FoundState | undefined, { local, service, listen, data }: UpFlags): TargetType {
  const isNamed = [local, service, listen, data].some((flag) => flag !== undefined);
  return isNamed ? "local" : (found?.state?.target.type ?? "local");
}

/** The state to go on with. One that has made nothing yet is in nobody's way. */
function requireUsable(found: FoundState | undefined, type: TargetType): InstallationState | undefined {
  if (found === undefined) return undefined;
  const { name, path, state } = found;
  if (state === undefined || state.installation === "") {
    throw new BowlineError(
      "ConfigFileInvalid",
      `${path} cannot be understood; \`bowline down ${name}\` takes away what it can find, then run this again.`,
    );
  }
  if (state.target.type === type) return state;
  const things = [...state.resources, ...state.provided];
  if (things.every((thing) => thing.state === "gone")) return undefined;
  const place = places[state.target.type];
  throw new BowlineError(
    "AlreadyExists",
    `"${name}" is an installation ${place}; choose another --name, or take it away with \`bowline down ${name}\`.`,
  );
}

const places: Readonly<Record<TargetType, string>> = {
  local: "on this machine",
  kubernetes: "in a cluster",
  kind: "in a kind cluster",
  eks: "in an EKS cluster",
};

function requirePhase(text: string | undefined, before: InstallationState | undefined): PhaseName {
  if (text === undefined) return phaseNames[0];
  const phase = phaseNames.find((name) => name === text);
  if (phase === undefined) {
    throw new BowlineError("InvalidArgument", `--from is one of ${phaseNames.join(", ")}.`);
  }
  const missing = phaseNames
    .slice(0, phaseNames.indexOf(phase))
    .find((name) => !before?.steps.some((step) => step.name === name && step.state === "done"));
  if (missing === undefined) return phase;
  throw new BowlineError(
    "InvalidArgument",
    `The phase ${missing} comes before ${phase} and was not done yet.`,
  );
}

/** A name that somebody gave to another server stays that server's. */
async function requireFreeContext(
  environment: CommandContext["environment"],
  name: string,
  before: InstallationState | undefined,
): Promise<void> {
  const entry = (await readConfig(environment)).context(name);
  const isOwn = before?.resources.some(({ type, id }) => type === "context" && id === name) ?? false;
  if (entry === undefined || isOwn) return;
  throw new BowlineError(
    "AlreadyExists",
    `There is a context "${name}" already, for ${entry.server}; choose another --name, or forget it with \`bowline context delete ${name}\`.`,
  );
}

async function isUpAlready(
  target: Target,
  phases: PhaseContext,
  before: InstallationState | undefined,
): Promise<boolean> {
  if (before === undefined || target.standing === undefined) return false;
  const standing = await target.standing(phases);
  if (standing === "stopped") return false;
  const isSame = JSON.stringify(target.record) === JSON.stringify(before.target);
  if (isSame) return isUp(before) && standing === "answers";
  throw new BowlineError(
    "AlreadyExists",
    `"${before.name}" runs with other settings; \`bowline down ${before.name}\` stops it and keeps its data, then run this again.`,
  );
}

function goesOn(before: InstallationState): string {
  return isUp(before)
    ? `"${before.name}" was set up ${before.startedAt}; each phase makes sure of its part.\n`
    : `Goes on with "${before.name}", which stopped in the phase ${before.phase}.\n`;
}

function isUpNow(
  name: string,
  { place }: Target,
  { state: { endpoints }, costs }: { readonly state: InstallationState; readonly costs: string },
): string {
  return `Bowline runs on ${place}, at ${endpoints["server"] ?? ""}; the context is "${name}".${costs === "" ? "" : ` ${costs}`}

  bowline get clusters         what is in the fleet
  bowline cluster add NAME     let a cluster join
  bowline ui                   the console
  bowline down ${name.padEnd(15)} take it away
`;
}

async function showPlan(
  { terminal }: CommandContext,
  plan: { readonly name: string; readonly target: Target; readonly before: InstallationState | undefined },
): Promise<void> {
  const { name, target, before } = plan;
  const planned = {
    ...(await target.plan()),
    save: [`write the context "${name}" and make it the current one`],
  };
  const rows = phaseNames.flatMap((phase) =>
    (planned[phase] ?? []).map((line, index) => [index === 0 ? phase : "", printableLine(line)]),
  );
  terminal.out(new TableWriter(["PHASE", "WHAT"]).rows(rows));
  const state = before === undefined ? "" : ` "${name}" has been begun: what is there already stays.`;
  terminal.error(`Nothing was done.${state}\n`);
}

/** Nothing is torn down: says why it stopped, what there is, and the two ways on. */
function stopped(
  { terminal, signal }: CommandContext,
  { ledger, costs }: { readonly ledger: Ledger; readonly costs: string },
  thrown: unknown,
): CommandExit {
  const error = BowlineError.from(thrown);
  const { name, phase } = ledger.state;
  const isCancelled = error.code === "Cancelled" && signal.aborted;
  const provided = ledger.provided().map(({ id, step, ...record }) => ({ ...record, id: id ?? step }));
  const there = [...provided, ...ledger.existing()].map(
    ({ type, id, state }) => `  ${type} ${id}${state === "intended" ? " (perhaps)" : ""}\n`,
  );
  terminal.error(
    [
      isCancelled ? "" : `error: ${printableLine(error.message)}\n`,
      `It stopped in the phase ${phase}. ${there.length === 0 ? "Nothing was made; put that right and run it again." : "This is there:"}\n`,
      ...there,
      costs === "" ? "" : `${costs}\n`,
      ...(there.length === 0
        ? []
        : [`Go on:        bowline up --name ${name}\n`, `Take it away: bowline down ${name}\n`]),
    ].join(""),
  );
  if (error.code === "Internal") return new CommandExit(1, error);
  return new CommandExit(errorCodes[error.code].exitCode);
}

export async function listInstallations({ terminal, environment }: CommandContext): Promise<void> {
  const found = await new StateFiles(environment).list();
  if (found.length === 0) {
    return terminal.error("Nothing was set up from this machine; `bowline up` does.\n");
  }
  const rows = found.map(({ name, state }) => [name, ...standing(state)].map(printableLine));
  return terminal.out(new TableWriter(["NAME", "TARGET", "STATE", "SERVER", "SINCE"]).rows(rows));
}

function standing(state: InstallationState | undefined): string[] {
  if (state === undefined) return ["unknown", "damaged", "", ""];
  const { target, steps, phase, endpoints, startedAt } = state;
  const failed = steps.find((step) => step.name === phase)?.state === "failed";
  const word = isUp(state) ? "up" : `${failed ? "failed" : "stopped"} in ${phase}`;
  return [target.type, word, endpoints["server"] ?? "", startedAt];
}
