import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";

import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { Board } from "../live/demo-state.ts";
import { nowMs, sampleGuide, sampleState } from "../testing/sample-state.ts";
import { Screen, type ScreenOutput } from "./screen.ts";

class FakeOutput extends EventEmitter implements ScreenOutput {
  columns = 100;
  rows = 20;
  readonly written: string[] = [];

  write(text: string): void {
    this.written.push(text);
  }

  news(): string {
    return this.written.splice(0).join("");
  }
}

/** A terminal's input as far as the screen looks at it. */
class FakeInput extends PassThrough {
  readonly isTTY = true;
  isRaw = false;

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }
}

function setUp() {
  const output = new FakeOutput();
  const input = new FakeInput();
  const clock = new ManualClock(nowMs);
  const board = new Board(sampleState());
  const quits: true[] = [];
  const screen = new Screen({
    board,
    guide: () => sampleGuide,
    output,
    input,
    paint: (_, text) => text,
    clock,
    quit: () => quits.push(true),
  });
  return { output, input, clock, board, quits, screen };
}

test("draws over itself when something changes, when the terminal does, and when time passes", async () => {
  const { output, clock, board, screen } = setUp();
  expect(output.news().startsWith("\u001B[?1049h\u001B[?25l\u001B[H Bowline demo")).toBe(true);
  board.update((state) => ({ ...state, notes: ["First."] }));
  board.update((state) => ({ ...state, notes: ["Second."] }));
  expect(output.news()).toBe("");
  await clock.advance(50);
  const picture = output.news();
  expect(picture).toContain("Second.");
  expect(picture.split("\u001B[H")).toHaveLength(2);

  output.rows = 7;
  output.emit("resize");
  expect(output.news().split("\n")).toHaveLength(7);
  await clock.advance(1000);
  expect(output.news()).toContain("up 1m06s");
  screen[Symbol.dispose]();
});

test("draws changes that never pause", async () => {
  const { output, clock, board, screen } = setUp();
  output.news();
  for (let change = 1; change <= 10; change++) {
    board.update((state) => ({ ...state, notes: [`Change ${change}.`] }));
    await clock.advance(20);
  }
  expect(output.news().split("\u001B[H")).toHaveLength(4);
  screen[Symbol.dispose]();
});

test("passes keys that mean the end on, and leaves the terminal as it was", async () => {
  const { output, input, clock, board, quits, screen } = setUp();
  expect(input.isRaw).toBe(true);
  for (const key of ["x", "q", "\u0003"]) input.emit("data", Buffer.from(key));
  expect(quits).toHaveLength(2);
  output.news();
  screen[Symbol.dispose]();
  screen[Symbol.dispose]();
  expect(output.news()).toBe("\u001B[?25h\u001B[?1049l");
  board.update((state) => ({ ...state, notes: ["Too late."] }));
  await clock.advance(10_000);
  expect(output.news()).toBe("");
  expect({ isRaw: input.isRaw, listeners: output.listenerCount("resize") }).toEqual({
    isRaw: false,
    listeners: 0,
  });
});

test("a terminal that does not know its size is taken for a small one", () => {
  const { output, screen } = setUp();
  output.news();
  Object.assign(output, { columns: 0, rows: 0 });
  output.emit("resize");
  expect(output.news().split("\n")).toHaveLength(24);
  screen[Symbol.dispose]();
});
