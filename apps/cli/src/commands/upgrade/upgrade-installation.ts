import type { Client } from "@bowline/client";
import { BowlineError, isRecord } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { CommandExit } from "../../command/failure.ts";
import type { Finding } from "../../doctor/finding.ts";
import { checkUpgrade } from "../../doctor/upgrade-checks.ts";
import { lockAsFound } from "../../installation/installation-lock.ts";
import { isUp, type InstallationState } from "../../installation/installation-state.ts";
import { Ledger } from "../../installation/ledger.ts";
import { openTarget } from "../../installation/open-target.ts";
import type { StateFiles } from "../../installation/state-files.ts";
import type { PhaseContext, Target } from "../../installation/target.ts";
import { createBackup } from "../backup/create-backup.ts";
import { closing, usualEffects, type UpEffects } from "../up/bring-up.ts";
import { PhaseLines } from "../up/phase-lines.ts";
import { gatherUpgradeFacts, upgradeText } from "./check-upgrade.ts";
import type { UpgradeFlags } from "./upgrade.ts";

/** What nobody can want, forced or not: it would lose what the database holds. */
const losesData: ReadonlySet<string> = new Set(["target", "schema"]);

type Flags = Pick<UpgradeFlags, "backup" | "force" | "image" | "values" | "set">;

/** Puts a server of the version of this program in the place of the one that runs. */
export async function upgradeInstallation(
  context: CommandContext,
  givenName: string | undefined,
  flags: Flags,
  effects: UpEffects = usualEffects(context),
): Promise<void> {
  const { clock, signal, terminal, version } = context;
  const state = await requireInstalled(effects, givenName);
  const { name } = state;
  requireImage(state, flags);
  const target = await openTarget(context, {
    name,
    type: state.target.type,
    flags,
    before: state.target,
    openWay: effects.openWay,
    aws: effects.aws,
  });
  await using _target = closing(target);
  using _lock = await lockAsFound(effects.files, name, { name, path: effects.files.path(name), state });
  const ledger = new Ledger({ state, write: (next) => effects.files.write(next), now: () => clock.now() });
  using lines = new PhaseLines(context);
  const progress = (text: string): void => lines.progress(text);
  const phase = { ledger, call: effects.call, clock, signal, progress };
  const upgrade = new Upgrade({ context, target, phase, lines, files: effects.files });
  await upgrade.preflight();
  const from = await upgrade.prepare(flags);
  await upgrade.replace(from);
  terminal.out(`"${name}" went from ${from} to ${version}.\n`);
}

interface UpgradeOptions {
  readonly context: CommandContext;
  readonly target: Target;
  readonly phase: PhaseContext;
  readonly lines: PhaseLines;
  readonly files: StateFiles;
}

/** One upgrade of one installation, in steps that are shown as they go. */
class Upgrade {
  readonly #context: CommandContext;
  readonly #target: Target;
  readonly #phase: PhaseContext;
  readonly #lines: PhaseLines;
  readonly #files: StateFiles;

  constructor({ context, target, phase, lines, files }: UpgradeOptions) {
    this.#context = context;
    this.#target = target;
    this.#phase = phase;
    this.#lines = lines;
    this.#files = files;
  }

  /** What could not be put there is found out while the old one runs, and remembered by nobody. */
  async preflight(): Promise<void> {
    await this.#step("preflight", async () => [undefined, await this.#target.phases.preflight(this.#phase)]);
  }

  /**
   * Looks and makes a backup; resolves to the version of the server that runs. After an upgrade to this version that was
   * interrupted there may be none, and both were done.
   */
  async prepare({ backup, force }: Flags): Promise<string> {
    const { state } = this.#phase.ledger;
    if (!isUp(state) && state.upgrade?.to === this.#context.version) return state.upgrade.from;
    const client = await this.#requireServer();
    try {
      const from = await this.#step("check", () => this.#check(client, { backup, force }));
      if (backup) await this.#step("backup", () => this.#backup(client));
      return from;
    } finally {
      await client.close();
    }
  }

  /** The state says that phases are to be done again before the first of them is: whoever finds it goes on. */
  async replace(from: string): Promise<void> {
    const { ledger } = this.#phase;
    const { phases, stop, record } = this.#target;
    await ledger.note({ target: record, upgrade: { from, to: this.#context.version } });
    await ledger.begin("install");
    if (stop !== undefined) await this.#step("stop", async () => [await stop(this.#phase), "stopped"]);
    for (const phase of ["install", "wait", "bootstrap", "register"] as const) {
      await ledger.begin(phase);
      const detail = await this.#step(phase, async () => {
        const done = await phases[phase](this.#phase);
        return [done, done];
      });
      await ledger.end(phase, "done", detail);
    }
    await ledger.begin("save");
    await this.#step("version", () => this.#requireVersion());
    await ledger.end("save", "done", "the context is as it was");
  }

  /** One that does not answer can be neither looked at nor backed up. */
  async #requireServer(): Promise<Client> {
    const { ledger, signal } = this.#phase;
    const { name } = ledger.state;
    try {
      const client = await this.#target.connect(this.#phase);
      try {
        await client.version({ signal });
        return client;
      } catch (error) {
        await client.close();
        throw error;
      }
    } catch (cause) {
      signal.throwIfAborted();
      const { code, message } = BowlineError.from(cause);
      throw new BowlineError(
        code,
        `The server of "${name}" cannot be looked at, nor backed up: ${message} Nothing was changed; \`bowline up --name ${name}\` brings up one that does not run.`,
        { cause },
      );
    }
  }

  async #check(
    client: Client,
    { backup, force }: Pick<Flags, "backup" | "force">,
  ): Promise<[string, string]> {
    const { version, signal, terminal } = this.#context;
    const facts = await gatherUpgradeFacts(client, version, { own: version, signal });
    const findings = checkUpgrade(facts).filter(({ check }) => !(backup && check === "backup"));
    const standing = findings.filter((finding) => isInTheWay(finding, force));
    if (findings.length > 0) terminal.error(upgradeText(this.#context, findings));
    if (standing.length > 0) {
      terminal.error(`Nothing was changed.\n`);
      throw new CommandExit(1);
    }
    return [facts.server.version, `from ${facts.server.version} to ${version}`];
  }

  async #backup(client: Client): Promise<[void, string]> {
    const file = this.#files.backupPath(this.#phase.ledger.state.name, this.#context.clock.now());
    const context = { ...this.#context, client: async () => client };
    await createBackup(context, file, { history: true, force: false });
    return [undefined, file];
  }

  async #requireVersion(): Promise<[string, string]> {
    const client = await this.#target.connect(this.#phase);
    try {
      const { version } = await client.version();
      if (version === this.#context.version) return [version, version];
      throw new BowlineError(
        "Conflict",
        `The server that answers is ${version}, not ${this.#context.version}: the image is of another version, or another server has this address.`,
      );
    } finally {
      await client.close();
    }
  }

  async #step<T>(name: string, work: () => Promise<readonly [T, string]>): Promise<T> {
    const { clock } = this.#phase;
    const startMs = clock.monotonicMs();
    const tookMs = (): number => clock.monotonicMs() - startMs;
    this.#lines.show({ phase: name, state: "begins" });
    try {
      const [result, detail] = await work();
      this.#lines.show({ phase: name, state: "done", detail, tookMs: tookMs() });
      return result;
    } catch (error) {
      this.#lines.show({ phase: name, state: "failed", tookMs: tookMs() });
      throw error;
    }
  }
}

function isInTheWay({ severity, check }: Finding, force: boolean): boolean {
  return severity === "error" && (!force || losesData.has(check));
}

async function requireInstalled({ files }: UpEffects, name: string | undefined): Promise<InstallationState> {
  const found = name === undefined ? await files.list() : [await files.read(name)];
  const states = found.flatMap((each) => each?.state ?? []);
  const [state] = states;
  if (states.length > 1) {
    const names = states.map((each) => each.name).join(", ");
    throw new BowlineError("InvalidArgument", `Say which installation; there are ${names}.`);
  }
  if (state === undefined) {
    throw new BowlineError(
      "NotFound",
      `${name === undefined ? "Nothing" : `No "${name}"`} was set up from this machine by \`bowline up\`. What Helm has installed, \`helm upgrade\` upgrades; \`bowline upgrade --check\` looks at any server.`,
    );
  }
  if (isUp(state) || state.steps.some((step) => step.name === "infrastructure" && step.state === "done"))
    return state;
  throw new BowlineError(
    "Conflict",
    `"${state.name}" is not up yet; go on with \`bowline up --name ${state.name}\`.`,
  );
}

/** Values that name a version would put the old one there again. */
function requireImage({ name, target }: InstallationState, { image, values, set }: Flags): void {
  const recorded = isRecord(target["values"]) ? target["values"]["image"] : undefined;
  // Whoever writes all values into a file leaves these empty.
  const isNamed = isRecord(recorded) && [recorded["tag"], recorded["digest"]].some((part) => Boolean(part));
  if (!isNamed || [image, values, set].some((given) => given !== undefined)) return;
  throw new BowlineError(
    "InvalidArgument",
    `The values of "${name}" name the version of the image; name the new one with --image.`,
  );
}
