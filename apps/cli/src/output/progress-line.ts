import { cutLine, printableLine } from "./terminal-text.ts";

const usualColumns = 80;
const eraseLine = "\r\u001B[2K";

/** The part of a terminal that a line needs. */
interface LineTerminal {
  readonly error: (text: string) => void;
  readonly errorIsTty: boolean;
  readonly columns: number | undefined;
}

/**
 * One line on standard error that tells how far something is: written over as it changes, and gone when it is disposed
 * of. Nothing is written where no person reads it.
 */
export class ProgressLine implements Disposable {
  readonly #terminal: LineTerminal;
  #shown = "";

  constructor(terminal: LineTerminal) {
    this.#terminal = terminal;
  }

  show(text: string): void {
    if (!this.#terminal.errorIsTty) return;
    const line = cutLine(printableLine(text), (this.#terminal.columns ?? usualColumns) - 1);
    if (line === this.#shown) return;
    this.#terminal.error(`${eraseLine}${line}`);
    this.#shown = line;
  }

  [Symbol.dispose](): void {
    if (this.#shown !== "") this.#terminal.error(eraseLine);
    this.#shown = "";
  }
}
