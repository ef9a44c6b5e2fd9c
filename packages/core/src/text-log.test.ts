import { expect, test } from "vitest";

import { BowlineError } from "./bowline-error.ts";
import { createLogger } from "./logger.ts";
import { textLog } from "./text-log.ts";

test("writes a line for people, with its fields and the causes of an error, and without secrets", () => {
  const lines: string[] = [];
  const logger = createLogger({
    name: "server",
    level: "info",
    clock: { now: () => 0 },
    destination: textLog((line) => lines.push(line)),
  });
  logger.info({ url: "https://a", count: 2, note: "two words" }, "Listening");
  logger.warn({ err: new BowlineError("Timeout", "Too late.", { cause: new Error("no answer") }) }, "Failed");
  logger.error({ token: "s3cret", url: "postgres://u:s3cret@db" }, "Never");
  expect(lines).toEqual([
    '1970-01-01T00:00:00.000Z INFO  Listening url=https://a count=2 note="two words"\n',
    "1970-01-01T00:00:00.000Z WARN  Failed err=Too late.: no answer\n",
    "1970-01-01T00:00:00.000Z ERROR Never token=[Redacted] url=postgres://u:[Redacted]@db\n",
  ]);
});
