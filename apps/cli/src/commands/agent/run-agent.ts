import type { SettingSources } from "@bowline/program";

import type { CommandContext } from "../../command/command-context.ts";
import { runProgram } from "../../command/run-program.ts";

/** Runs the agent until the process is told to stop. */
export async function runAgent(context: CommandContext, sources: SettingSources): Promise<void> {
  const { loadAgentConfig, startAgent } = await import("@bowline/agent");
  await runProgram(context, {
    name: "agent",
    config: loadAgentConfig(sources),
    start: startAgent,
    started: (agent) => `Bowline ${context.version} is the agent of the cluster ${agent.clusterName}
  Identity  ${agent.identityPlace}
  Health    http://${agent.healthAddress}/readyz
`,
  });
}
