import { BowlineError } from "@bowline/core";
import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { CommandExit } from "../../command/failure.ts";
import { addManifestOptions } from "../../manifests/manifest-options.ts";
import type { DiffFlags, TwoSets } from "./diff.ts";
import type { ExplainFlags } from "./explain.ts";
import {
  addMetricsOptions,
  allowRejectedOption,
  exitWhenRejected,
  type AllowRejected,
} from "./metrics-options.ts";
import type { RenderFlags } from "./render.ts";

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

function addMetricsRenderCommand(parent: Command, context: CommandContext): void {
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
      const { printRender } = await import("./render.ts");
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

function addMetricsExplainCommand(parent: Command, context: CommandContext): void {
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
      const { printExplanation } = await import("./explain.ts");
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

/** As of `diff` and `kubectl diff`, so that scripts that know those know this one. */
const exitCodes = { different: 1, failed: 2 };

type Flags = DiffFlags & { readonly filename?: readonly string[] };

function addMetricsDiffCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command("diff")
    .usage("OLD NEW [FLAGS]")
    .summary("Compare the configurations of two sets of custom resources")
    .description(
      "Compare the configurations of two sets of custom resources, each a file, a folder or - for standard input: which jobs and remote writes come, go and change, and in which keys. Values are never shown, because they may be secrets. Exits with 0 when nothing differs, 1 when something does, 2 when it cannot tell.",
    )
    .argument("[OLD]", "The set to compare with")
    .argument("[NEW]", "The set that may differ");
  addMetricsOptions(addSetOptions(command), { selection: "auto" })
    .addOption(
      new Option("-o, --output <FORMAT>", "How to print it")
        .choices(["text", "json", "yaml"])
        .default("text"),
    )
    .action(async (old: string | undefined, now: string | undefined, options: Flags) => {
      const sets = twoSets([old, now, ...(options.filename ?? [])]);
      const { printDiff } = await import("./diff.ts");
      const isDifferent = await printDiff(context, sets, options).catch((thrown: unknown) => {
        throw new CommandExit(exitCodes.failed, thrown);
      });
      if (isDifferent) throw new CommandExit(exitCodes.different);
    });
  addExamples(command, [
    { does: "What a change does to the configuration", run: "bowline metrics diff main/ branch/" },
    {
      does: "Whether a move from the Grafana Agent Operator loses anything",
      run: "bowline metrics diff -R grafana/ bowline/ --compat grafana-agent --placeholders",
    },
    {
      does: "Stop a pipeline when jobs would change",
      run: "git show main:monitoring.yaml | bowline metrics diff - monitoring.yaml",
    },
  ]);
}

function addSetOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "-f, --filename <FILE>",
        "The sets in place of arguments: once for the old one, once for the new one",
      ).argParser((file: string, before: readonly string[] | undefined) => [...(before ?? []), file]),
    )
    .option("-R, --recursive", "Look into the folders of a folder as well", false);
}

function twoSets(given: readonly (string | undefined)[]): TwoSets {
  const [before, after, ...more] = given.filter((path) => path !== undefined);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new BowlineError(
      "InvalidArgument",
      "Name two sets, the old one and the new one; a set of several files is a folder.",
    );
  }
  if (before === "-" && after === "-") {
    throw new BowlineError("InvalidArgument", "Standard input can be one of the two sets only.");
  }
  return { before, after };
}
