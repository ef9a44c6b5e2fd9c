import type { SettingSources } from "@bowline/program";

import { addCheckConfigCommand, addSettingOptions, givenFlags } from "../command/setting-options.ts";
import { addExamples, type AddCommand } from "../command/command-set.ts";
import type { CommandContext } from "../command/command-context.ts";
import { runProgram } from "../command/run-program.ts";

/** The flags of the agent are those of its table of settings, which is small; the agent itself is read when it runs. */
export async function loadAgentCommand(): Promise<AddCommand> {
  const { agentSettings } = await import("@bowline/agent/settings");
  return (program, context) => {
    const command = program
      .command("agent")
      .description(
        "Run the agent of a cluster until it is told to stop, by SIGTERM or Ctrl-C; a second one ends it at once.\n\nThe agent connects to the server and makes the requests of the server in the cluster. Every flag can also be an environment variable; docs/reference/agent.md lists them.",
      )
      .action(() => runAgent(context, { flags: givenFlags(command), environment: context.environment }));
    addSettingOptions(command, agentSettings);
    addCheckConfigCommand(command, context, {
      load: async (sources) => (await import("@bowline/agent")).loadAgentConfig(sources),
      examples: [
        {
          does: "With which settings the agent of a context would run",
          run: "bowline agent check-config --kube-context edge",
        },
      ],
    });
    addExamples(command, [
      {
        does: "For the cluster of a context, with a token of `bowline cluster add`",
        run: "bowline agent --kube-context edge --join-token-file edge.token",
      },
      { does: "The same again: it knows who it is", run: "bowline agent --kube-context edge" },
      { does: "In a pod, with the token from a Secret", run: "BOWLINE_JOIN_TOKEN=… bowline agent" },
    ]);
  };
}

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
