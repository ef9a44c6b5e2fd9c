import { createLogger, systemClock } from "@bowline/core";
import { createTempFolder } from "@bowline/test-services";
import { onTestFinished } from "vitest";

import { loadConfig } from "../../config/server-config.ts";
import { startServer, type RunningServer } from "../start-server.ts";

export interface TestServer extends RunningServer {
  /** The lines of its log, a JSON object each. */
  readonly logged: readonly string[];
}

export interface TestServerOptions {
  readonly clock?: typeof systemClock;
  readonly signal?: AbortSignal;
  /** Gets the log lines as they come, also of a server that does not start. */
  readonly logged?: string[];
}

/** A server on a free port, stopped when the test ends at the latest. */
export async function startTestServer(
  flags: Readonly<Record<string, string>>,
  { clock = systemClock, signal, logged = [] }: TestServerOptions = {},
): Promise<TestServer> {
  const config = loadConfig({ flags: { "--listen": "127.0.0.1:0", ...flags }, environment: {} });
  const destination = { write: (line: string) => void logged.push(line) };
  const logger = createLogger({ name: "test", level: "info", destination });
  const server = await startServer(config, {
    clock,
    random: Math.random,
    logger,
    version: "1.2.3",
    ...(signal === undefined ? {} : { signal }),
  });
  onTestFinished(async () => {
    await server.close().catch(() => {});
  });
  return { ...server, logged };
}

export async function tempFolder(): Promise<string> {
  const folder = await createTempFolder("server");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}
