import { createLogger, textLog, type LogLevel } from "@bowline/core";

import type { CommandContext, Environment } from "../../command/command-context.ts";

export interface AgentSources {
  /** By flag, with `--`. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly environment: Environment;
}

/** Runs the agent until the process is told to stop; fails when it cannot start, or does not stop cleanly. */
export async function runAgent(context: CommandContext, sources: AgentSources): Promise<void> {
  const { terminal, clock, random, signal, version } = context;
  const { loadAgentConfig, startAgent } = await import("@bowline/agent");
  const config = loadAgentConfig(sources);
  const format = config.logFormat ?? (terminal.errorIsTty ? "text" : "json");
  const logger = createAgentLogger(context, config.logLevel ?? "info", format);
  const agent = await startAgent(config, { clock, random, logger, signal, version, ownsProcess: true });
  terminal.out(`Bowline ${version} is the agent of the cluster ${agent.clusterName}
  Identity  ${agent.identityPlace}
  Health    http://${agent.healthAddress}/readyz
`);
  await agent.ended;
}

function createAgentLogger({ terminal, clock }: CommandContext, level: LogLevel, format: "json" | "text") {
  const destination = format === "text" ? { destination: textLog((line) => terminal.error(line)) } : {};
  return createLogger({ name: "agent", level, clock, ...destination });
}
