import { expect, test } from "vitest";

import { createProgramLogger, type LogValues } from "./program-logger.ts";

function linesOf(log: LogValues, isTerminal: boolean): string[] {
  const lines: string[] = [];
  const logger = createProgramLogger({
    name: "agent",
    log,
    isTerminal,
    clock: { now: () => 0 },
    write: (line) => void lines.push(line),
  });
  logger.debug("a detail");
  logger.info("Connected");
  return lines;
}

const line = "1970-01-01T00:00:00.000Z INFO  Connected\n";

test("people at a terminal read lines of text, at info unless told otherwise", () => {
  expect(linesOf({ level: undefined, format: undefined }, true)).toEqual([line]);
  expect(linesOf({ level: "debug", format: undefined }, true)).toHaveLength(2);
  expect(linesOf({ level: "silent", format: undefined }, true)).toEqual([]);
});

test("the format that was asked for wins over the terminal", () => {
  expect(linesOf({ level: "info", format: "text" }, false)).toEqual([line]);
  // JSON goes to standard error itself.
  expect(linesOf({ level: "silent", format: "json" }, true)).toEqual([]);
});
