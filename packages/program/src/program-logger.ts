import { createLogger, logLevels, textLog, type Clock, type Logger, type LogLevel } from "@bowline/core";

import { choice } from "./settings/setting-types.ts";
import type { SettingGroup } from "./settings/setting.ts";

/** The settings of every program's log. */
export const logSettings = {
  level: {
    type: choice(...logLevels),
    default: "info",
    description: "The least important lines to log.",
  },
  format: {
    type: choice("json", "text"),
    otherwise: "`text` on a terminal, else `json`",
    description: "How lines are written to standard error.",
  },
} as const satisfies SettingGroup;

/** The settings of a log, as the config of every program has them. */
export interface LogValues {
  /** Undefined for `info`, until somebody says otherwise. */
  readonly level: LogLevel | undefined;
  readonly format: "json" | "text" | undefined;
}

export interface ProgramLoggerOptions {
  /** `server`, `agent` or `operator`. */
  readonly name: string;
  readonly log: LogValues;
  /** Whether people read standard error. */
  readonly isTerminal: boolean;
  /** For text; JSON goes to standard error. */
  readonly write: (text: string) => void;
  readonly clock?: Pick<Clock, "now">;
}

/** Writes text for people at a terminal, and JSON for what collects logs. */
export function createProgramLogger(options: ProgramLoggerOptions): Logger {
  const { name, log, isTerminal, write, clock } = options;
  const format = log.format ?? (isTerminal ? "text" : "json");
  return createLogger({
    name,
    level: log.level ?? "info",
    ...(clock === undefined ? {} : { clock }),
    ...(format === "text" ? { destination: textLog(write) } : {}),
  });
}
