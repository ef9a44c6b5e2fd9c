import { isRecord } from "@bowline/core";

export type LogLevel = "error" | "warn" | "info" | "debug";

const words: Readonly<Record<string, LogLevel>> = {
  fatal: "error",
  panic: "error",
  critical: "error",
  crit: "error",
  alert: "error",
  emerg: "error",
  error: "error",
  err: "error",
  warning: "warn",
  warn: "warn",
  notice: "info",
  info: "info",
  information: "info",
  debug: "debug",
  trace: "debug",
  verbose: "debug",
};

/** As far into a line as a level is looked for; further on it is part of what is said. */
const headLength = 120;
/** `level=info`, `"severity":"ERROR"`, `lvl: warn`; numbers are those of pino and bunyan. */
const named = /(?:^|[\s{,"'])(?:level|lvl|severity|loglevel)"?\s*[=:]\s*"?(\w+)/iu;
/** `[ERROR]`, `ERROR:`, `WARN `: in capitals, or in brackets. */
const marked = /(?:^|[\s|])(?:\[(\w{3,11})\]|([A-Z]{3,11}):?(?=\s|$))/gu;
/** `fatal: giving up`, at the beginning. */
const leading = /^(\w{3,11}):\s/u;
/** `E0102 15:04:05.000000`, as programs of Kubernetes write. */
const klog = /^([IWEFD])\d{4} \d\d:\d\d/u;
const klogLevels: Readonly<Record<string, LogLevel>> = {
  I: "info",
  W: "warn",
  E: "error",
  F: "error",
  D: "debug",
};

/** The level that a line gives itself, in the ways that are usual. */
export function levelOf(line: string): LogLevel | undefined {
  const head = line.slice(0, headLength);
  const short = klog.exec(head)?.[1];
  if (short !== undefined) return klogLevels[short];
  // In JSON the level may stand anywhere.
  const name = named.exec(line.startsWith("{") ? line.slice(0, 2_000) : head)?.[1];
  if (name !== undefined) return wordLevel(name) ?? numberLevel(Number(name));
  const first = wordLevel(leading.exec(head)?.[1] ?? "");
  if (first !== undefined) return first;
  for (const match of head.matchAll(marked)) {
    const level = wordLevel(match[1] ?? match[2] ?? "");
    if (level !== undefined) return level;
  }
  return undefined;
}

function wordLevel(word: string): LogLevel | undefined {
  const key = word.toLowerCase();
  return Object.hasOwn(words, key) ? words[key] : undefined;
}

function numberLevel(number: number): LogLevel | undefined {
  if (Number.isNaN(number) || number < 10) return undefined;
  if (number >= 50) return "error";
  if (number >= 40) return "warn";
  return number >= 30 ? "info" : "debug";
}

/** What a line of JSON says, and the rest of its fields. */
export interface LogFields {
  readonly message: string | undefined;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

const messageNames = ["msg", "message", "text", "event", "error"];
const mostFields = 200;

/** The fields of a line that is a JSON object; undefined for every other. */
export function fieldsOf(line: string): LogFields | undefined {
  if (!line.startsWith("{") || !line.trimEnd().endsWith("}")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value);
  const name = messageNames.find((each) =>
    entries.some(([key, text]) => key === each && typeof text === "string"),
  );
  return {
    message: entries.find(([key]) => key === name)?.[1]?.toString(),
    fields: entries
      .filter(([key]) => key !== name)
      .slice(0, mostFields)
      .map(([key, field]) => [key, typeof field === "string" ? field : JSON.stringify(field)]),
  };
}
