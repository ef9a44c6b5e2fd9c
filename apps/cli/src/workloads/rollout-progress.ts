import type { Paint, Terminal } from "../command/terminal.ts";
import { cutLine, printableLine } from "../output/terminal-text.ts";
import type { RolloutLine } from "./rollout.ts";

/** More lines would scroll away, and what has scrolled away cannot be written over. */
const maxLines = 20;
const usualColumns = 80;

const eraseLine = "\u001B[2K";
const eraseBelow = "\u001B[J";

/**
 * Shows how a rollout goes on standard error: on a terminal lines that are written over as they change, elsewhere a
 * line for each change.
 */
export class RolloutProgress {
  readonly #terminal: Terminal;
  readonly #paint: Paint;
  /** The text of each line as it was shown last, by its key. */
  readonly #shown = new Map<string, string>();
  #drawnLines = 0;

  constructor(terminal: Terminal, paint: Paint) {
    this.#terminal = terminal;
    this.#paint = paint;
  }

  show(lines: readonly RolloutLine[]): void {
    if (this.#terminal.errorIsTty) this.#redraw(lines);
    else this.#addChanges(lines);
  }

  #addChanges(lines: readonly RolloutLine[]): void {
    for (const line of lines) {
      const text = textOf(line);
      if (this.#shown.get(line.key) === text) continue;
      this.#shown.set(line.key, text);
      this.#terminal.error(`${text}\n`);
    }
  }

  #redraw(lines: readonly RolloutLine[]): void {
    const shown = lines.length <= maxLines ? lines : mostTelling(lines).slice(0, maxLines - 1);
    const columns = this.#terminal.columns ?? usualColumns;
    const rows = shown.map((line) => paintLine(cutLine(textOf(line), columns - 1), line, this.#paint));
    if (shown.length < lines.length) rows.push(`… and ${lines.length - shown.length} more`);
    const up = this.#drawnLines === 0 ? "" : `\u001B[${this.#drawnLines}A`;
    this.#terminal.error(`${up}${rows.map((row) => `${eraseLine}${row}\n`).join("")}${eraseBelow}`);
    this.#drawnLines = rows.length;
  }
}

const wellStates: ReadonlySet<string> = new Set(["Ready", "Healthy", "Suspended", "kept"]);
const badStates: ReadonlySet<string> = new Set([
  "Degraded",
  "Missing",
  "failed",
  "conflict",
  "denied",
  "contested",
]);

/** Lines that are not well before the others; otherwise in their order. */
function mostTelling(lines: readonly RolloutLine[]): RolloutLine[] {
  return lines.toSorted((a, b) => Number(wellStates.has(a.state)) - Number(wellStates.has(b.state)));
}

function textOf({ subject, state, why }: RolloutLine): string {
  return printableLine(why === "" ? `${subject}: ${state}` : `${subject}: ${state}, ${why}`);
}

function paintLine(text: string, { state }: RolloutLine, paint: Paint): string {
  if (wellStates.has(state)) return paint("green", text);
  return badStates.has(state) ? paint("red", text) : text;
}
