import { Option, type Command } from "commander";

import { addExamples } from "../../command/examples.ts";
import type { AddCommand } from "../../command/command-set.ts";

const loadSettings = () => import("@bowline/agent/settings");

type Settings = Awaited<ReturnType<typeof loadSettings>>;

/** The flags of the agent are those of its table of settings, which is small; the agent itself is read when it runs. */
export async function loadAgentCommand(): Promise<AddCommand> {
  const settings = await loadSettings();
  return (program, context) => {
    const command = program
      .command("agent")
      .description(
        "Run the agent of a cluster until it is told to stop, by SIGTERM or Ctrl-C; a second one ends it at once.\n\nThe agent connects to the server and makes the requests of the server in the cluster. Every flag can also be an environment variable; docs/reference/agent.md lists them.",
      )
      .action(async () => {
        const { runAgent } = await import("./run-agent.ts");
        await runAgent(context, { flags: givenFlags(command), environment: context.environment });
      });
    addSettingOptions(command, settings);
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

function addSettingOptions(command: Command, { agentSettings }: Settings): void {
  for (const setting of Object.values(agentSettings)) {
    if (!("flag" in setting)) continue;
    const without = "default" in setting ? ` (default: ${setting.default})` : "";
    command.addOption(
      new Option(`--${setting.flag} <${setting.placeholder}>`, `${setting.description}${without}`),
    );
  }
}

/** What was given on the command line, by flag. */
function givenFlags(command: Command): Record<string, string | undefined> {
  const values: Record<string, unknown> = command.opts();
  return Object.fromEntries(
    command.options.flatMap((option) => {
      const value = values[option.attributeName()];
      return typeof option.long !== "string" || typeof value !== "string" ? [] : [[option.long, value]];
    }),
  );
}
