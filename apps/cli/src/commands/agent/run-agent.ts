import { createLogger } from "@bowline/core";

import type { CommandContext } from "../../command-context.ts";

/** Runs the agent until the process is told to stop; fails when it cannot start, or does not stop cleanly. */
export async function runAgent(
  context: CommandContext,
  flags: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { terminal, environment, clock, random, signal, version } = context;
  const { loadAgentConfig, startAgent } = await import("@bowline/agent");
  const config = loadAgentConfig({ flags, environment });
  const logger = createLogger({ name: "agent", level: config.logLevel ?? "info" });
  const agent = await startAgent(config, { clock, random, logger, signal, version, ownsProcess: true });
  terminal.out(`Bowline ${version} is the agent of the cluster ${agent.clusterName}
  Identity  ${agent.identityPlace}
  Health    http://${agent.healthAddress}/readyz
`);
  await agent.ended;
}
