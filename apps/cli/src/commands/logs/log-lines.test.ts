import { expect, test } from "vitest";

import { mergeByTime, readLogLines, type LogLine } from "./log-lines.ts";

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const text of texts) yield Buffer.from(text);
}

test("lines are read whatever the network made of them", async () => {
  const [start, end] = [
    Buffer.from("2026-01-01T02:00:00.5+02:00 gr\u00FC\u00DFe\nno"),
    Buffer.from(" stamp\n\nlast"),
  ];
  const middle = start.length - 5;
  const lines: LogLine[] = [];
  const chunks = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    yield start.subarray(0, middle);
    yield start.subarray(middle);
    yield end;
  };
  for await (const line of readLogLines(chunks())) lines.push(line);
  expect(lines.map(({ text }) => text)).toEqual(["gr\u00FC\u00DFe", "no stamp", "", "last"]);
  expect(new Set(lines.map(({ time }) => time))).toEqual(new Set(["001767225600.500000000"]));
});

test("a line without an end is shown in pieces, and not kept", async () => {
  const piece = "x".repeat(50_000);
  const lengths: number[] = [];
  for await (const { text } of readLogLines(chunksOf(piece, piece, piece, `${piece}\n`)))
    lengths.push(text.length);
  expect(lengths).toEqual([100_000, 100_000]);
});

test("whoever stops reading merged logs ends all of them", async () => {
  let ended = 0;
  const log = async function* (time: string): AsyncGenerator<{ time: string }, void, undefined> {
    try {
      for (;;) yield { time };
    } finally {
      ended += 1;
    }
  };
  for await (const { time } of mergeByTime([log("2"), log("1")])) {
    expect(time).toBe("1");
    break;
  }
  expect(ended).toBe(2);
});
