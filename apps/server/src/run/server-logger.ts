import { createLogger, textLog, type Logger } from "@bowline/core";

import type { ServerConfig } from "../config/server-config.ts";

/** Writes to standard error: text for people at a terminal, JSON for what collects logs. */
export function createServerLogger({ log }: ServerConfig): Logger {
  const format = log.format ?? (process.stderr.isTTY ? "text" : "json");
  return createLogger({
    name: "server",
    level: log.level,
    ...(format === "text" ? { destination: textLog() } : {}),
  });
}
