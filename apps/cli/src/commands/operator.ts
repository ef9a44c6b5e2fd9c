import type { SettingSources } from "@bowline/program";

import { addCheckConfigCommand, addSettingOptions, givenFlags } from "../command/setting-options.ts";
import type { CommandContext } from "../command/command-context.ts";
import { addExamples, type AddCommand } from "../command/command-set.ts";
import { runProgram } from "../command/run-program.ts";

/** The flags of the operator are those of its table of settings, which is small; the rest is read when it runs. */
export async function loadOperatorCommand(): Promise<AddCommand> {
  const { operatorSettings } = await import("@bowline/operator/settings");
  return (program, context) => {
    const command = program
      .command("operator")
      .description(
        "Run the monitoring operator of a cluster until it is told to stop, by SIGTERM or Ctrl-C; a second one ends it at once.\n\nThe operator keeps collectors running for MetricsAgents, with the configuration that their instances and monitors make. Every flag can also be an environment variable; docs/reference/operator.md lists them.",
      )
      .action(() => runOperator(context, { flags: givenFlags(command), environment: context.environment }));
    addSettingOptions(command, operatorSettings);
    addCheckConfigCommand(command, context, {
      load: async (sources) => (await import("@bowline/operator")).loadOperatorConfig(sources),
      examples: [
        {
          does: "With which settings the operator of a context would run",
          run: "bowline operator check-config --kube-context edge",
        },
      ],
    });
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

/** Runs the operator until the process is told to stop. */
async function runOperator(context: CommandContext, sources: SettingSources): Promise<void> {
  const { loadOperatorConfig, startOperator } = await import("@bowline/operator");
  await runProgram(context, {
    name: "operator",
    config: loadOperatorConfig(sources),
    start: startOperator,
    started: (operator) =>
      `Bowline ${context.version} is the monitoring operator of the cluster ${operator.clusterName}
  Health  http://${operator.healthAddress}/readyz
`,
  });
}
