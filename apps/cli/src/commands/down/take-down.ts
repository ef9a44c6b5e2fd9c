import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { CommandExit } from "../../command/failure.ts";
import { lockAsFound } from "../../installation/installation-lock.ts";
import { requireInstallationName } from "../../installation/installation-name.ts";
import { newState, type TargetType } from "../../installation/installation-state.ts";
import { Ledger } from "../../installation/ledger.ts";
import { openTarget } from "../../installation/open-target.ts";
import { runDown } from "../../installation/run-down.ts";
import type { FoundState } from "../../installation/state-files.ts";
import type { Removal } from "../../installation/target.ts";
import { ProgressLine } from "../../output/progress-line.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { closing, givenType, usualEffects, type UpEffects } from "../up/bring-up.ts";
import type { DownFlags } from "./down.ts";

export async function takeDown(
  context: CommandContext,
  givenName: string | undefined,
  flags: DownFlags,
  effects: UpEffects = usualEffects(context),
): Promise<void> {
  const { terminal, environment, clock, signal } = context;
  const found = await findState(effects, givenName, flags);
  if (found === undefined) {
    return terminal.out(
      `${givenName === undefined ? "Nothing" : `No "${givenName}"`} is there to take away.\n`,
    );
  }
  const { name } = found;
  const type = placeOf(found, flags);
  const { openWay, aws } = effects;
  const target = await openTarget(context, { name, flags, type, before: found.state?.target, openWay, aws });
  await using _target = closing(target);
  if (!(await isAgreed(context, name, target.place, flags))) {
    return terminal.error("Nothing was done.\n");
  }
  using _lock = await lockAsFound(effects.files, name, found);
  const ledger = new Ledger({
    // For one whose notes are lost: it is looked for by names and marks that are derived.
    state: found.state ?? newState({ installation: "", name, target: target.record, startedAt: "" }),
    write: (next) => effects.files.write(next),
    now: () => clock.now(),
  });
  using line = new ProgressLine(terminal);
  const progress = (text: string): void => line.show(`… ${text}`);
  const removal = await runDown({
    target,
    context: { ledger, call: effects.call, clock, signal, progress },
    environment,
    files: effects.files,
    deleteData: flags.deleteData,
    isForced: flags.force === true,
    forgets: flags.forget === true,
  });
  line[Symbol.dispose]();
  showRemoval(context, name, removal, { receipt: effects.files.path(name), forgets: flags.forget === true });
}

async function findState(
  { files }: UpEffects,
  givenName: string | undefined,
  flags: DownFlags,
): Promise<FoundState | undefined> {
  const isNamed = givenType(flags) !== undefined || flags.data !== undefined;
  const name = givenName ?? (isNamed ? undefined : await onlyName(files));
  if (name === undefined) {
    if (!isNamed) return undefined;
    throw new BowlineError("InvalidArgument", "Say which installation: `bowline down NAME`.");
  }
  const found = await files.read(requireInstallationName(name));
  return found ?? (isNamed ? { name, path: files.path(name), state: undefined } : undefined);
}

async function onlyName(files: UpEffects["files"]): Promise<string | undefined> {
  const names = (await files.list()).map(({ name }) => name);
  if (names.length <= 1) return names[0];
  throw new BowlineError("InvalidArgument", `Say which installation; there are ${names.join(", ")}.`);
}

function placeOf({ state }: FoundState, flags: DownFlags): TargetType {
  return state?.target.type ?? givenType(flags) ?? "local";
}

async function isAgreed(
  { terminal, signal }: CommandContext,
  name: string,
  place: string,
  { yes, deleteData }: DownFlags,
): Promise<boolean> {
  if (yes) return true;
  const data = deleteData ? " with all its data, for ever" : "; its data stays";
  if (!terminal.canAsk) {
    throw new BowlineError(
      "InvalidArgument",
      "There is no terminal to ask whether that is meant; use --yes.",
    );
  }
  const question = `Take "${name}" away from ${place}${data}? [y/N] `;
  return /^y(?:es)?$/iu.test((await terminal.ask(question, { signal })).trim());
}

function showRemoval(
  { terminal }: CommandContext,
  name: string,
  { kept, unchecked }: Removal,
  { receipt, forgets }: { readonly receipt: string; readonly forgets: boolean },
): void {
  for (const line of kept) terminal.error(`Left: ${printableLine(line)}\n`);
  const word = forgets ? "Forgotten" : "Not looked at";
  for (const line of unchecked) terminal.error(`${word}: ${printableLine(line)}\n`);
  if (unchecked.length === 0) return terminal.out(`"${name}" is gone.\n`);
  if (forgets) return terminal.out(`"${name}" is forgotten.\n`);
  terminal.error(
    `${receipt} has the list; run this again when it can be reached, or with --forget when it is gone for good.\n`,
  );
  throw new CommandExit(1);
}
