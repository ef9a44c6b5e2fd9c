import { describe, expect, test } from "vitest";

import { BowlineError } from "./bowline-error.ts";
import { createLogger, textLog, type Logger, type LogLevel } from "./logger.ts";
import { secretNames } from "./redact-secrets.ts";
import { ManualClock } from "./testing/manual-clock.ts";

function setup(level: LogLevel = "info"): { logger: Logger; lines: string[]; last: () => unknown } {
  const lines: string[] = [];
  const logger = createLogger({
    name: "agent",
    level,
    clock: new ManualClock(Date.UTC(2026, 10, 15)),
    destination: { write: (line) => void lines.push(line) },
  });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? "") };
}

describe("createLogger", () => {
  test("writes one JSON object per line with ts, level, logger and msg", () => {
    const { logger, lines } = setup();
    logger.info({ cluster: "east", pods: 3 }, "Synced pods");
    expect(lines).toEqual([
      `{"level":"info","ts":"2026-11-15T00:00:00.000Z","logger":"agent","cluster":"east","pods":3,"msg":"Synced pods"}\n`,
    ]);
  });

  test("children carry their fields", () => {
    const { logger, last } = setup();
    logger.child({ controller: "workload" }).child({ name: "shop" }).warn("Requeued");
    expect(last()).toMatchObject({ logger: "agent", controller: "workload", name: "shop", level: "warn" });
  });

  test("the level changes at run time, also for children that exist already", () => {
    const { logger, lines } = setup("info");
    const child = logger.child({ controller: "workload" }).child({ name: "shop" });
    child.debug("unseen");
    expect(lines).toHaveLength(0);
    logger.level = "debug";
    child.debug("seen");
    expect(lines).toHaveLength(1);
    logger.level = "silent";
    child.fatal("unseen");
    expect(lines).toHaveLength(1);
  });

  test("writes an error with its code and causes", () => {
    const { logger, last } = setup();
    const err = new BowlineError("Timeout", "Too slow", { cause: new Error("socket") });
    logger.error(err);
    expect(last()).toMatchObject({ msg: "Too slow", err: { code: "Timeout", cause: { message: "socket" } } });
    logger.error({ error: err }, "Failed to sync");
    expect(last()).toMatchObject({ msg: "Failed to sync", error: { code: "Timeout" } });
  });
});

describe("a secret never reaches the log", () => {
  const canary = "canary4711";

  const ways: Record<string, (logger: Logger, secret: Record<string, unknown>) => void> = {
    "a field": (logger, secret) => logger.info(secret, "x"),
    "a deep field": (logger, secret) => logger.info({ a: [{ b: { c: { d: { e: [secret] } } } }] }, "x"),
    "the binding of a child": (logger, secret) => logger.child({ request: { headers: secret } }).info("x"),
    "a top-level binding": (logger, secret) => logger.child(secret).child({ a: 1 }).info("x"),
    "replaced bindings": (logger, secret) => {
      logger.setBindings(secret);
      logger.info("x");
    },
    "an object in the message": (logger, secret) => logger.info("x %j %o", secret, secret),
    "the details of an error": (logger, secret) =>
      logger.error(new BowlineError("Timeout", "x", { details: { headers: secret } })),
    "the details of a cause": (logger, secret) => {
      const cause = new BowlineError("Timeout", "x", { details: secret });
      logger.error({ err: new AggregateError([cause], "x", { cause }) }, "x");
    },
    "the headers of a foreign error": (logger, secret) =>
      logger.error(
        Object.assign(new Error("x"), { headers: secret, response: { headers: secret }, ...secret }),
      ),
    "an error under another name": (logger, secret) =>
      logger.error({ failure: Object.assign(new Error("x"), { headers: secret }) }, "x"),
    "an object that makes its own JSON": (logger, secret) =>
      logger.info({ a: { toJSON: () => secret } }, "x"),
    "a request": (logger, secret) =>
      logger.info({ method: "GET", url: "/", headers: secret, socket: { remotePort: 1 } }, "x"),
    "JSON in the message": (logger, secret) => logger.info(`Sent ${JSON.stringify(secret)}`),
    "JSON in the message of an error": (logger, secret) => logger.error(new Error(JSON.stringify(secret))),
  };

  test.each(Object.entries(ways))("through %s", (_way, log) => {
    for (const name of secretNames) {
      const { logger, lines } = setup("trace");
      log(logger, { [name]: canary });
      expect(lines).toHaveLength(1);
      expect(lines[0]).not.toContain(canary);
    }
  });

  test("through a bearer token in a message", () => {
    const { logger, last } = setup();
    logger.info(`Sent Authorization: Bearer ${canary}`);
    expect(last()).toMatchObject({ msg: "Sent Authorization: Bearer [Redacted]" });
  });
});

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
