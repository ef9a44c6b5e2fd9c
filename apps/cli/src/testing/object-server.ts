import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createClient, type Client } from "@bowline/client";
import { createLogger, systemClock } from "@bowline/core";

import type { Environment } from "../command/command-context.ts";
import { runBowline, type Ran, type RunBowlineOptions } from "./run-bowline.ts";

/** A real server for tests of commands. */
export interface ObjectServer extends AsyncDisposable {
  /** As the first admin. */
  readonly client: Client;
  /** The environment in which commands talk to it as the first admin. */
  readonly environment: Environment;
  /** Runs a command line against it. */
  bowline(args: readonly string[], options?: RunBowlineOptions): Promise<Ran>;
}

/** Starts a server on a free port, with everything that belongs to one. */
export async function startObjectServer(): Promise<ObjectServer> {
  const { loadConfig, startServer } = await import("@bowline/server");
  const folder = await mkdtemp(join(tmpdir(), "bowline-cli-"));
  const flags = { "--listen": "127.0.0.1:0", "--data": folder, "--tls": "off" };
  const server = await startServer(loadConfig({ flags, environment: {} }), {
    clock: systemClock,
    random: Math.random,
    logger: createLogger({ name: "test", level: "error", destination: { write: () => {} } }),
    version: "1.2.3",
  });
  const environment = {
    BOWLINE_SERVER: server.url,
    BOWLINE_TOKEN: server.adminToken,
    BOWLINE_CONFIG: join(folder, "no-config.yaml"),
  };
  const client = createClient({ server: server.url, token: server.adminToken });
  return {
    client,
    environment,
    bowline: (args, options = {}) =>
      runBowline(args, { ...options, environment: { ...environment, ...options.environment } }),
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}
