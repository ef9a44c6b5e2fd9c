import { plainText } from "./ansi.ts";

/** The moment of a line, to the nanosecond as Kubernetes stamps them. */
export interface LogTime {
  readonly ms: number;
  /** Nanoseconds after `ms`. */
  readonly nanos: number;
}

export interface LogLine {
  /** Grows with every line that arrives; tells lines apart wherever they are. */
  readonly id: number;
  /** Which of the sources wrote it. */
  readonly source: number;
  readonly time: LogTime;
  /** As it was written, with its colours. */
  readonly text: string;
  /** As it is shown and searched: without anything that cannot be seen. */
  readonly plain: string;
  /** A note of ours between lines: something is missing here, or a container was started again. */
  readonly isNote: boolean;
}

/** A line that came, before it has a place among the others. */
export type NewLine = Omit<LogLine, "id" | "source">;

const stamped = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d) ?/u;

/** Reads `TIME TEXT`. A line without a time, as a cut one can be, has that of the line before it. */
export function parseLine(line: string, before: LogTime): NewLine {
  const stamp = stamped.exec(line);
  const text = stamp === null ? line : line.slice(stamp[0].length);
  const plain = plainText(text);
  return {
    time: stamp === null ? before : timeOf(stamp),
    text: plain === text ? plain : text,
    plain,
    isNote: false,
  };
}

export function noteLine(text: string, time: LogTime): NewLine {
  return { time, text, plain: text, isNote: true };
}

export function compareTimes(a: LogTime, b: LogTime): number {
  return a.ms - b.ms || a.nanos - b.nanos;
}

export const beginningOfTime: LogTime = { ms: 0, nanos: 0 };

/** Of the last line: those that follow each other are mostly of the same second, and to read a date takes long. */
let lastSecond = { text: "", ms: Number.NaN };

function secondOf(text: string): number {
  if (text !== lastSecond.text) lastSecond = { text, ms: Date.parse(text) };
  return lastSecond.ms;
}

function timeOf([, seconds = "", fraction = "", zone = "Z"]: RegExpExecArray): LogTime {
  const secondMs = secondOf(`${seconds}${zone}`);
  if (Number.isNaN(secondMs)) return beginningOfTime;
  const nanos = Number(fraction.padEnd(9, "0"));
  return { ms: secondMs + Math.floor(nanos / 1_000_000), nanos: nanos % 1_000_000 };
}
