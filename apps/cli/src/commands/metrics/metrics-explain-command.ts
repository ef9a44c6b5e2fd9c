import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/examples.ts";
import { addManifestOptions } from "../../manifests/manifest-options.ts";
import { allowRejectedOption, exitWhenRejected, type AllowRejected } from "./exit-when-rejected.ts";
import { addMetricsOptions } from "./metrics-options.ts";
import type { ExplainFlags } from "./print-explanation.ts";

export function addMetricsExplainCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command("explain")
    .usage("-f FILE... [FLAGS]")
    .summary("Say of each monitor what selected it, and what became of it")
    .description(
      "Say of each monitor in files what selected it or why nothing did, which jobs it became, or why it was rejected and what to do about it; where the files have Services, endpoints, pods or Ingresses too, also how many targets a job finds among them, or why none. Exits like `bowline metrics render`.",
    );
  addMetricsOptions(addManifestOptions(command, { mandatory: true }), { selection: "selectors" })
    .option(...allowRejectedOption)
    .addOption(
      new Option("-o, --output <FORMAT>", "How to print it")
        .choices(["text", "json", "yaml"])
        .default("text"),
    )
    .action(async (options: ExplainFlags & AllowRejected) => {
      const { printExplanation } = await import("./print-explanation.ts");
      exitWhenRejected(await printExplanation(context, options), options);
    });
  addExamples(command, [
    {
      does: "Why is this not scraped?",
      run: "bowline metrics explain -f prometheus.yaml -f web-monitor.yaml",
    },
    {
      does: "From a cluster",
      run: "kubectl get prometheus,servicemonitor,podmonitor,probe,namespace -A -o yaml | bowline metrics explain -f - --placeholders",
    },
    {
      does: "With the targets that there are",
      run: "kubectl get prometheus,servicemonitor,podmonitor,namespace,service,endpoints,pod -A -o json | bowline metrics explain -f - --placeholders",
    },
  ]);
}
