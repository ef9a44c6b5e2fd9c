import { pino, type DestinationStream, type Logger as PinoLogger } from "pino";

import { systemClock, type Clock } from "./clock.ts";
import { redactLine } from "./redact-secrets.ts";
import { serializeError } from "./serialize-error.ts";

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export type LogLevel = (typeof logLevels)[number];

/**
 * `level` may be set at any time, also from outside; children follow unless they were given a level of their own.
 * `child({ cluster })` makes a logger whose lines all carry these fields.
 */
export type Logger = PinoLogger;

interface LoggerOptions {
  /** The part of the product that speaks; the key `logger` of each line. */
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

/** The fields that every line has, shown at its beginning. */
const ownFields: ReadonlySet<string> = new Set(["level", "ts", "logger", "msg"]);

/** A destination for the logger that writes lines for people instead of JSON. */
export function textLog(write: (line: string) => void = writeToStandardError): {
  write: (line: string) => void;
} {
  return { write: (line) => write(formatLine(line)) };
}

function formatLine(line: string): string {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line);
  } catch {
    return line;
  }
  const { ts = "", level = "", msg = "" } = fields;
  const others = Object.entries(fields).filter(([name]) => !ownFields.has(name));
  const head = `${textOf(ts)} ${textOf(level).toUpperCase().padEnd(5)} ${textOf(msg)}`;
  return `${[head, ...others.map(([name, value]) => `${name}=${formatValue(value)}`)].join(" ")}\n`;
}

/** An error is told by its message and what caused it; its stack is for the JSON format. */
function formatValue(value: unknown): string {
  if (isError(value)) {
    const cause = isError(value.cause) ? `: ${formatValue(value.cause)}` : "";
    return `${value.message}${cause}`;
  }
  return typeof value === "string" && /^\S+$/u.test(value) ? value : JSON.stringify(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isError(value: unknown): value is { readonly message: string; readonly cause?: unknown } {
  return typeof value === "object" && value !== null && "message" in value && "type" in value;
}

/** Node writes to it at once, whatever it is, so the last lines before a crash are not lost. */
function writeToStandardError(line: string): void {
  process.stderr.write(line);
}
