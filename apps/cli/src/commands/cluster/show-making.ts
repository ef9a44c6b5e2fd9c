import { formatAge } from "@bowline/api";
import type { Client } from "@bowline/client";
import { BowlineError, LinkedAbortController, type Clock } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { BrokenPipe } from "../../command/failure.ts";
import { ProgressLine } from "../../output/progress-line.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { followMaking, type MadeCluster, type MakingState } from "./follow-making.ts";

interface ShowMakingOptions {
  readonly name: string;
  readonly id: string;
  readonly timeoutMs: number;
}

/** A line for each step of a cluster that is made, until it is ready; says how to go on when it does not get there. */
export async function showMaking(
  context: CommandContext,
  client: Client,
  { name, id, timeoutMs }: ShowMakingOptions,
): Promise<MadeCluster> {
  const { terminal, clock, signal } = context;
  const beganMs = clock.monotonicMs();
  using lines = new StepLines(context, name);
  try {
    const made = await followMaking(
      { name, id },
      {
        client,
        clock,
        signal,
        timeoutMs,
        onState: (state) => lines.show(state),
        onLost: (error) => lines.say(`Connecting again: ${printableLine(error.message)}`),
      },
    );
    lines[Symbol.dispose]();
    const version = made.status.kubernetesVersion;
    const runs = version === undefined ? "" : `, with Kubernetes ${printableLine(version)}`;
    const took = formatAge(clock.monotonicMs() - beganMs);
    terminal.error(`cluster/${name} is ready after ${took}${runs}.
Where an AccessGrant lets you: bowline kubectl ${name} -- get nodes
`);
    return made;
  } catch (thrown) {
    lines[Symbol.dispose]();
    if (signal.aborted) {
      if (!(signal.reason instanceof BrokenPipe)) {
        terminal.error(`\ncluster/${name} is still being made.\n${goOn(name)}`);
      }
      throw thrown;
    }
    throw withAdvice(name, thrown);
  }
}

/** The commands for whoever does not wait, or waits no longer. */
export function goOn(name: string): string {
  return `Wait for it: bowline wait cluster/${name} --for condition=Ready --timeout 40m
Take it away: bowline delete cluster/${name}
`;
}

function withAdvice(name: string, thrown: unknown): BowlineError {
  const error = BowlineError.from(thrown);
  const advice = adviceFor(name, error);
  if (advice === undefined) return error;
  return new BowlineError(error.code, `${error.message.replace(/\.$/u, "")}. ${advice}`, {
    cause: error,
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}

/** Whatever ends the command does not end the work, unless somebody has deleted the object. */
function adviceFor(name: string, { code, details }: BowlineError): string | undefined {
  const wait = `bowline wait cluster/${name} --for condition=Ready --timeout 40m`;
  const remove = `bowline delete cluster/${name}`;
  if (code === "NotFound") return undefined;
  if (code !== "ReconcileStalled") {
    return `The server goes on. Wait longer: ${wait}, or take it away: ${remove}`;
  }
  if (details?.["state"] === "Lost") {
    return `It is not made again by itself: ${remove}, and create it anew.`;
  }
  return `Once that is mended it goes on by itself, within a minute: ${wait}. Or take it away: ${remove}`;
}

/** How often a person sees that something still goes on. */
const tickMs = 1_000;

/** A line for each step and, on a terminal, one below them that tells how long it has been going on. */
class StepLines implements Disposable {
  readonly #terminal: CommandContext["terminal"];
  readonly #clock: Clock;
  readonly #name: string;
  readonly #progress: ProgressLine;
  readonly #ticking: LinkedAbortController;
  #beganMs: number | undefined;

  constructor({ terminal, clock, signal }: CommandContext, name: string) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#name = name;
    this.#progress = new ProgressLine(terminal);
    this.#ticking = new LinkedAbortController(signal);
    if (terminal.errorIsTty) void this.#tick(this.#ticking.signal);
  }

  show({ text, since }: MakingState): void {
    const beganMs = since === undefined ? Number.NaN : Date.parse(since);
    this.#beganMs = Number.isNaN(beganMs) ? this.#clock.now() : beganMs;
    const begun = Number.isNaN(beganMs) ? "" : `, since ${new Date(beganMs).toISOString()}`;
    this.say(`cluster/${this.#name}: ${text}${begun}`);
  }

  say(line: string): void {
    this.#progress[Symbol.dispose]();
    this.#terminal.error(`${line}\n`);
  }

  [Symbol.dispose](): void {
    this.#ticking.abort();
    this.#ticking[Symbol.dispose]();
    this.#progress[Symbol.dispose]();
  }

  async #tick(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#clock.sleep(tickMs, signal);
        if (this.#beganMs === undefined) continue;
        // The clock of the server may be ahead of this one.
        this.#progress.show(`… for ${formatAge(Math.max(0, this.#clock.now() - this.#beganMs))}`);
      }
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    }
  }
}
