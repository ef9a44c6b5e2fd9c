import type { CommandContext } from "../../command/command-context.ts";
import type { PhaseEvent } from "../../installation/run-up.ts";
import { ProgressLine } from "../../output/progress-line.ts";
import { printableLine } from "../../output/terminal-text.ts";

const nameWidth = 15;

/** A line for each phase with the time it took, and one below them for what is being waited for. */
export class PhaseLines implements Disposable {
  readonly #terminal: CommandContext["terminal"];
  readonly #progress: ProgressLine;
  #phase = "";

  constructor({ terminal }: Pick<CommandContext, "terminal">) {
    this.#terminal = terminal;
    this.#progress = new ProgressLine(terminal);
  }

  show(event: PhaseEvent): void {
    if (event.state === "begins") {
      this.#phase = event.phase;
      this.#progress.show(`… ${event.phase}`);
      return;
    }
    this.#progress[Symbol.dispose]();
    const sign = event.state === "done" ? "✓" : "✗";
    const detail = event.state === "done" ? printableLine(event.detail) : "";
    const took = `${(event.tookMs / 1000).toFixed(1)}s`.padStart(6);
    this.#terminal.error(`${sign} ${event.phase.padEnd(nameWidth)}${took}  ${detail}`.trimEnd() + "\n");
  }

  progress(text: string): void {
    this.#progress.show(`… ${this.#phase.padEnd(nameWidth)}        ${text}`);
  }

  [Symbol.dispose](): void {
    this.#progress[Symbol.dispose]();
  }
}
