import type { Clock } from "@bowline/core";

import type { Board } from "../live/demo-state.ts";
import { demoLines } from "./demo-lines.ts";
import type { Guide } from "./guide-lines.ts";
import type { Paint } from "./line.ts";

/** The part of a terminal's output that is needed. */
export interface ScreenOutput {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

/** The part of a terminal's input that is needed. */
interface ScreenInput {
  readonly isTTY: boolean;
  setRawMode(isRaw: boolean): unknown;
  on(event: "data", listener: (key: Buffer) => void): unknown;
  off(event: "data", listener: (key: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

interface ScreenOptions {
  readonly board: Board;
  readonly guide: () => Guide;
  readonly output: ScreenOutput;
  /** Read key by key, where it is a terminal. */
  readonly input: ScreenInput;
  readonly paint: Paint;
  readonly clock: Clock;
  /** Somebody pressed q or Ctrl-C; each time. */
  readonly quit: () => void;
}

const escape = "\u001B[";
/** The other screen of the terminal, on which nothing scrolls away, without a cursor. */
const enter = `${escape}?1049h${escape}?25l`;
const leave = `${escape}?25h${escape}?1049l`;
const home = `${escape}H`;
const clearToEndOfLine = `${escape}K`;
const clearBelow = `${escape}J`;

/** Changes that come at once are drawn together; the rest is drawn because time passes. */
const gatherMs = 50;
const tickMs = 1000;
const endKeys: ReadonlySet<string> = new Set(["q", "Q", "\u0003"]);

/** Draws the board on a terminal, over and over, until it is closed. Then the terminal is as it was before. */
export class Screen implements Disposable {
  readonly #options: ScreenOptions;
  readonly #unsubscribe: () => void;
  readonly #onResize = (): void => this.#draw();
  readonly #onKey = (key: Buffer): void => {
    if (endKeys.has(key.toString())) this.#options.quit();
  };
  /** Two times Ctrl-C ends the process wherever it is; the terminal is somebody's nevertheless. */
  readonly #onExit = (): void => this[Symbol.dispose]();
  #cancelDraw: (() => void) | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #drawn = "";
  #isOpen = true;

  constructor(options: ScreenOptions) {
    const { board, output, input } = options;
    this.#options = options;
    output.write(enter);
    output.on("resize", this.#onResize);
    process.once("exit", this.#onExit);
    if (input.isTTY) {
      input.setRawMode(true);
      input.on("data", this.#onKey);
      input.resume();
    }
    this.#unsubscribe = board.subscribe(() => this.#drawWithin(gatherMs));
    this.#draw();
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { output, input } = this.#options;
    this.#cancelDraw?.();
    this.#unsubscribe();
    process.off("exit", this.#onExit);
    output.off("resize", this.#onResize);
    if (input.isTTY) {
      input.off("data", this.#onKey);
      input.setRawMode(false);
      input.pause();
    }
    output.write(leave);
  }

  /** Changes that never pause for so long are drawn nevertheless: a picture that is due is not put off. */
  #drawWithin(ms: number): void {
    const dueMs = this.#options.clock.monotonicMs() + ms;
    if (dueMs >= this.#dueMs) return;
    this.#dueMs = dueMs;
    this.#cancelDraw?.();
    this.#cancelDraw = this.#options.clock.after(ms, () => this.#draw());
  }

  #draw(): void {
    const { board, guide, output, paint, clock } = this.#options;
    const { columns, rows } = sizeOf(output);
    const lines = demoLines(board.state, guide(), { columns, rows, nowMs: clock.now(), paint });
    const picture = `${home}${lines.map((line) => line + clearToEndOfLine).join("\n")}${clearBelow}`;
    if (picture !== this.#drawn) output.write(picture);
    this.#drawn = picture;
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#drawWithin(tickMs);
  }
}

/** A terminal that does not know its size says 0. */
function sizeOf({ columns, rows }: ScreenOutput): { readonly columns: number; readonly rows: number } {
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
}
