import { expect, test } from "vitest";

import { fieldsOf, levelOf } from "./log-level.ts";
import { beginningOfTime, compareTimes, parseLine } from "./log-line.ts";
import { LineSplitter } from "./line-splitter.ts";

test.each([
  ["2026-11-18T02:00:00.123456789Z hello", 1_794_967_200_123, 456_789, "hello"],
  ["2026-11-18T02:00:00.5Z  two spaces", 1_794_967_200_500, 0, " two spaces"],
  ["2026-11-18T04:00:00+02:00 elsewhere", 1_794_967_200_000, 0, "elsewhere"],
  ["2026-11-18T02:00:00Z", 1_794_967_200_000, 0, ""],
])("%j is of its time", (line, ms, nanos, text) => {
  expect(parseLine(line, beginningOfTime)).toMatchObject({ time: { ms, nanos }, text, plain: text });
});

test("lines of one second differ in their fractions, and the next second is another", () => {
  const times = ["00.1Z a", "00.2Z b", "01.1Z c", "00.3Z d"].map(
    (rest) => parseLine(`2026-11-18T02:00:${rest}`, beginningOfTime).time.ms - 1_794_967_200_000,
  );
  expect(times).toEqual([100, 200, 1_100, 300]);
});

test("a line without a time is of the time of the one before it", () => {
  const before = { ms: 5, nanos: 7 };
  expect(parseLine("no time", before)).toMatchObject({ time: before, text: "no time" });
});

test("times are compared to the nanosecond, however many digits they have", () => {
  const [a, b] = ["2026-11-18T02:00:00.1Z x", "2026-11-18T02:00:00.100000001Z x"].map(
    (line) => parseLine(line, beginningOfTime).time,
  );
  expect(compareTimes(a ?? beginningOfTime, b ?? beginningOfTime)).toBeLessThan(0);
});

test("colours stay with the text, and the words without them are searched", () => {
  expect(parseLine("2026-11-18T02:00:00Z \u001B[31mERROR\u001B[0m no", beginningOfTime)).toMatchObject({
    text: "\u001B[31mERROR\u001B[0m no",
    plain: "ERROR no",
  });
});

test.each([
  ["E0102 15:04:05.000000       1 main.go:1] gone", "error"],
  ["level=warning msg=slow", "warn"],
  ['{"ts":1,"level":"info","msg":"ready"}', "info"],
  ['{"level":50,"msg":"no"}', "error"],
  ['{"time":"x","severity":"DEBUG"}', "debug"],
  ["2026/01/01 12:00:00 [error] 7#7: *1 connect() failed", "error"],
  ["2026-01-01 12:00:00 WARN  Something", "warn"],
  ["fatal: giving up, exit status 1", "error"],
  ["served 12 requests, no errors and no information", undefined],
  ["this INFORMS nobody", undefined],
])("%j has the level %s", (line, level) => {
  expect(levelOf(line)).toBe(level);
});

test("a line of JSON has a message and fields; others have none", () => {
  expect(fieldsOf('{"msg":"ready","port":80,"tags":["a"],"__proto__":"x"}')).toEqual({
    message: "ready",
    fields: [
      ["port", "80"],
      ["tags", '["a"]'],
      ["__proto__", "x"],
    ],
  });
  expect(fieldsOf("{not json}")).toBeUndefined();
  expect(fieldsOf("[1]")).toBeUndefined();
});

test("lines are put together, wherever they were cut", () => {
  const splitter = new LineSplitter();
  const bytes = new TextEncoder().encode("grüße\nzwei\ndrei");
  const lines = [...bytes].flatMap((byte) => splitter.take(Uint8Array.of(byte)));
  expect(lines).toEqual(["grüße", "zwei"]);
  expect(splitter.end()).toEqual(["drei"]);
});
