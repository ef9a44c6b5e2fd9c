import { Option, type Command } from "commander";

import { addExamples } from "../../command/examples.ts";
import type { AddCommand } from "../../command/command-set.ts";

const loadSettings = () => import("@bowline/operator/settings");

type Settings = Awaited<ReturnType<typeof loadSettings>>;

/** The flags of the operator are those of its table of settings, which is small; the rest is read when it runs. */
export async function loadOperatorCommand(): Promise<AddCommand> {
  const settings = await loadSettings();
  return (program, context) => {
    const command = program
      .command("operator")
      .description(
        "Run the monitoring operator of a cluster until it is told to stop, by SIGTERM or Ctrl-C; a second one ends it at once.\n\nThe operator keeps collectors running for MetricsAgents, with the configuration that their instances and monitors make. Every flag can also be an environment variable; docs/reference/operator.md lists them.",
      )
      .action(async () => {
        const { runOperator } = await import("./run-operator.ts");
        await runOperator(context, givenFlags(command));
      });
    addSettingOptions(command, settings);
    addExamples(command, [
      { does: "For the cluster of a context", run: "bowline operator --kube-context edge" },
      {
        does: "With images from a registry of your own",
        run: "bowline operator --collector-image registry.example.com/prometheus",
      },
      {
        does: "For the GrafanaAgents of a cluster as well",
        run: "bowline operator --compat grafana-agent",
      },
    ]);
  };
}

function addSettingOptions(command: Command, { operatorSettings }: Settings): void {
  for (const setting of Object.values(operatorSettings)) {
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
