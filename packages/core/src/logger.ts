import { pino, type DestinationStream, type Logger as PinoLogger } from "pino";

import type { Clock } from "./clock.ts";
import { redactLine } from "./redact-secrets.ts";
import { serializeError } from "./serialize-error.ts";
import { systemClock } from "./system-clock.ts";

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export type LogLevel = (typeof logLevels)[number];

/**
 * `level` may be set at any time, also from outside; children follow unless they were given a level of their own.
 * `child({ cluster })` makes a logger whose lines all carry these fields.
 */
export type Logger = PinoLogger;

export interface LoggerOptions {
  /** Which part of the product speaks; the key `logger` of each line. */
  readonly name: string;
  readonly level: LogLevel;
  /** Standard error by default, written at once, so that the last lines before a crash are not lost. */
  readonly destination?: DestinationStream;
  readonly clock?: Pick<Clock, "now">;
}

const standardErrorFd = 2;

/** Makes a logger that writes one JSON object per line: `level`, `ts`, `logger`, fields, `msg`. */
export function createLogger(options: LoggerOptions): Logger {
  const clock = options.clock ?? systemClock;
  return pino(
    {
      level: options.level,
      base: { logger: options.name },
      timestamp: () => `,"ts":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError, error: serializeError },
      // At the very end, where fields, bindings, errors and messages have become one line: no way goes around it.
      hooks: { streamWrite: redactLine },
    },
    options.destination ?? pino.destination({ fd: standardErrorFd, sync: true }),
  );
}
