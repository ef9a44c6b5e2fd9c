import { BowlineError, canonicalJson, type Clock } from "@bowline/core";

import type { ProviderWork } from "../provider.ts";
import { askProgram, type AskedProgram } from "./ask-program.ts";
import type { ProgramAction, ProgramAnswer, ProgramRecord } from "./program-answer.ts";

/** Something that a program did wrong: its message is a sentence for whoever writes it. */
export class ProgramFault extends Error {
  override readonly name = "ProgramFault";
}

export interface TrialOptions {
  readonly program: AskedProgram;
  readonly spec: ProviderWork["cluster"]["spec"];
  readonly credential: ProviderWork["credential"];
  readonly clock: Clock;
  readonly logger: ProviderWork["logger"];
  readonly signal: AbortSignal;
  /** Of a cluster that there was never. */
  readonly newId: () => string;
  /** How long a cluster may take to become ready, or to be gone. */
  readonly timeoutMs: number;
  /** What is going on, for a line that is written over. */
  readonly onProgress: (text: string) => void;
}

/** An answer to `next` that the program went further with. */
export interface Cut {
  /** What the program was given. */
  readonly before: ProgramRecord;
  /** What it wanted to remember. */
  readonly after: ProgramRecord;
  readonly text: string;
}

const usualPollMs = 1_000;

/** A throw-away cluster, and all that its program has wanted to remember of it. */
export class TrialCluster {
  readonly id: string;
  readonly name: string;
  /** As the server would have it stored. */
  record: ProgramRecord = null;
  readonly cuts: Cut[] = [];
  /** All that the program ever wanted to remember, also in answers that were thrown away. */
  readonly remembered = new Map<string, ProgramRecord>();
  /** Nothing of it can be where the program was never asked for a step, and has answered nothing else. */
  mayBeThere = false;
  /** Ends its questions. */
  signal: AbortSignal;
  readonly #options: TrialOptions;

  constructor(options: TrialOptions) {
    this.#options = options;
    this.signal = options.signal;
    this.id = options.newId();
    this.name = `trial-${this.id.slice(-6)}`;
  }

  /** One question; what the program does wrong with it is a fault. */
  async ask(action: ProgramAction, record: ProgramRecord = this.record): Promise<ProgramAnswer> {
    const { program, spec, ...work } = this.#options;
    const { id, name, signal } = this;
    this.mayBeThere ||= action === "next";
    try {
      const cluster = { id, name, labels: {}, spec };
      const answer = await askProgram(program, { ...work, cluster, signal }, { action, record });
      this.mayBeThere = true;
      const { record: wanted = record } = answer;
      this.remembered.set(canonicalJson(wanted), wanted);
      return answer;
    } catch (error) {
      if (error instanceof BowlineError && error.code === "ProcessFailed") {
        throw new ProgramFault(error.message, { cause: error });
      }
      throw error;
    }
  }

  /** Until it is ready. With `isTwice` every question is asked twice, as when the first answer was lost. */
  async create({ isTwice = false, cuts = Infinity } = {}): Promise<void> {
    await this.#until("ready", async () => {
      const before = this.record;
      const first = await this.ask("next", before);
      this.#noteCut(before, first);
      if (this.cuts.length > cuts) return true;
      const answer = isTwice ? await this.ask("next", before) : first;
      return this.#goOn(answer, "ready");
    });
  }

  async delete({ isTwice = false } = {}): Promise<void> {
    await this.#until("gone", async () => {
      const before = this.record;
      const first = await this.ask("delete", before);
      const answer = isTwice ? await this.ask("delete", before) : first;
      return this.#goOn(answer, "gone");
    });
  }

  /** Stores what it is to, says how far it is, and waits as long as the program wishes. */
  async #goOn(answer: ProgramAnswer, end: "ready" | "gone"): Promise<boolean> {
    const { onProgress, clock } = this.#options;
    if (answer.record !== undefined) this.record = answer.record;
    if (answer.state === end) return true;
    if (answer.state === "blocked") {
      throw new ProgramFault(`It is blocked: ${answer.message ?? ""}. Do what it says, and test again.`);
    }
    const { step, retryAfterSeconds } = answer;
    const at = step === undefined ? (answer.state ?? "") : `${step.text} (${step.n} of ${step.of})`;
    onProgress(`${this.name}: ${at}`);
    await clock.sleep(retryAfterSeconds === undefined ? usualPollMs : retryAfterSeconds * 1000, this.signal);
    return false;
  }

  #noteCut(before: ProgramRecord, { record: after = before, step, state }: ProgramAnswer): void {
    const last = this.cuts.at(-1);
    const text = step?.text ?? state ?? "";
    if (last !== undefined && last.text === text && canonicalJson(last.after) === canonicalJson(after))
      return;
    this.cuts.push({ before, after, text });
  }

  async #until(state: "ready" | "gone", round: () => Promise<boolean>): Promise<void> {
    const { clock, timeoutMs } = this.#options;
    const endMs = clock.monotonicMs() + timeoutMs;
    while (!(await round())) {
      if (clock.monotonicMs() < endMs) continue;
      throw new ProgramFault(
        `The cluster was not ${state} after ${timeoutMs / 1000} s. If it takes longer, raise --timeout.`,
      );
    }
  }
}
