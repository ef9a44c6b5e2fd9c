import { existsSync } from "node:fs";

import type { CommandContext } from "../../command/command-context.ts";
import type { GivenFlags } from "./setting-options.ts";
import { startedText } from "./started-text.ts";

/** Runs the server until the process is told to stop; fails when it cannot start, or does not stop cleanly. */
export async function runServer(context: CommandContext, flags: GivenFlags): Promise<void> {
  const { terminal, environment, clock, random, signal, version } = context;
  const { createServerLogger, loadConfig, startServer } = await import("@bowline/server");
  const config = loadConfig({ flags, environment });
  const logger = createServerLogger(config);
  const server = await startServer(config, { clock, random, logger, signal, version, ownsProcess: true });
  const program = environment["npm_command"] === undefined ? "bowline" : "npx bowline";
  const hasAdminTokenFile = existsSync(server.adminTokenFile);
  terminal.out(startedText({ ...server, hasAdminTokenFile, version, role: config.role, program }));
  await server.ended;
}
