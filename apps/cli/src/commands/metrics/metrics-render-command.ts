import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { addManifestOptions } from "../../manifests/manifest-options.ts";
import { allowRejectedOption, exitWhenRejected, type AllowRejected } from "./exit-when-rejected.ts";
import { addMetricsOptions } from "./metrics-options.ts";
import type { RenderFlags } from "./print-render.ts";

export function addMetricsRenderCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command("render")
    .usage("-f FILE... [FLAGS]")
    .summary("Print the configuration of Prometheus for custom resources")
    .description(
      "Print the configuration of Prometheus for the custom resources in files. With several roots, one document for each.\n\nSecrets and ConfigMaps among the files give the values that the configuration holds. What is wrong with an object leaves that object out and goes to standard error. Exits with 0 when everything is in, 1 when something was left out or cannot be read, 2 for a command line that is wrong.",
    );
  addMetricsOptions(addManifestOptions(command, { mandatory: true }), { selection: "auto" })
    .option(...allowRejectedOption)
    .action(async (options: RenderFlags & AllowRejected) => {
      const { printRender } = await import("./print-render.ts");
      exitWhenRejected(await printRender(context, options), options);
    });
  addExamples(command, [
    {
      does: "Check what would run",
      run: "bowline metrics render -f agent.yaml -f monitors/ > prometheus.yaml",
    },
    {
      does: "For an older Prometheus, with everything that a chart makes",
      run: "helm template monitoring | bowline metrics render -f - --prometheus-version v2.42.0",
    },
    {
      does: "What becomes of a GrafanaAgent",
      run: "bowline metrics render -R -f grafana/ --compat grafana-agent --placeholders",
    },
  ]);
}
