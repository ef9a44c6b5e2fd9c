import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { addMetricsDiffCommand } from "./metrics-diff-command.ts";
import { addMetricsExplainCommand } from "./metrics-explain-command.ts";
import { addMetricsRenderCommand } from "./metrics-render-command.ts";

export function addMetricsCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("metrics")
    .description(
      "See what the monitoring operator makes of custom resources, from files, without a server and without a cluster.\n\nA MetricsAgent with its MetricsInstances, a Prometheus or a PrometheusAgent selects ServiceMonitors, PodMonitors, Probes and ScrapeConfigs; together they become the configuration of Prometheus.",
    );
  addExamples(command, [
    { does: "The configuration of everything in a folder", run: "bowline metrics render -R -f monitoring/" },
    { does: "Why a monitor is not scraped", run: "bowline metrics explain -R -f monitoring/" },
    { does: "What a change does", run: "bowline metrics diff main/ branch/" },
  ]);
  addMetricsRenderCommand(command, context);
  addMetricsExplainCommand(command, context);
  addMetricsDiffCommand(command, context);
}
