import { defaultAgentNamespace } from "@bowline/api";
import { BowlineError, durationForm, parseDurationMs } from "@bowline/core";
import { Option, type Command } from "commander";

/** The cluster that an agent is for, as kubectl would be told. */
export interface KubeOptions {
  readonly kubeconfig?: string;
  readonly kubeContext?: string;
}

export interface RunFlags extends KubeOptions {
  readonly run: boolean;
}

export function addManifestFlags(command: Command): Command {
  return command
    .option(
      "--expires <DURATION>",
      "How long the join token works: between a minute and a week, such as 45m or 24h",
      "1h",
    )
    .addOption(namespaceOption())
    .addOption(
      new Option("-o, --output <FORMAT>", "How to print the manifest")
        .choices(["yaml", "json"])
        .default("yaml"),
    );
}

/** Flags of manifests are of no use to an agent that runs here. */
export function addRunFlags(command: Command, ofManifests: readonly string[] = []): Command {
  return command
    .addOption(
      new Option("--run", "Run the agent here, until Ctrl-C, instead of printing a manifest")
        .conflicts(["expires", "namespace", "output", ...ofManifests])
        .default(false),
    )
    .option("--kubeconfig <FILE>", "With --run: how to reach the cluster (default: as kubectl does)")
    .option("--kube-context <NAME>", "With --run: the context in the kubeconfig (default: the current one)");
}

export function isToRun({ run, kubeconfig, kubeContext }: RunFlags): boolean {
  if (run || (kubeconfig === undefined && kubeContext === undefined)) return run;
  throw new BowlineError("InvalidArgument", "--kubeconfig and --kube-context are for --run.");
}

export function namespaceOption(): Option {
  return new Option("--namespace <NAMESPACE>", "Where in the cluster the agent runs").default(
    defaultAgentNamespace,
  );
}

/** Of the API, which says it less clearly. */
const [minSeconds, maxSeconds] = [60, 7 * 86_400];

/** How long a join token works, from `45m` or `24h`: in the seconds that the API takes. */
export function joinLifetimeSeconds(text: string): number {
  const durationMs = parseDurationMs(text);
  if (durationMs === undefined) {
    throw new BowlineError("InvalidArgument", `«${text.slice(0, 64)}» is not ${durationForm}.`);
  }
  const seconds = Math.ceil(durationMs / 1000);
  if (seconds >= minSeconds && seconds <= maxSeconds) return seconds;
  throw new BowlineError("InvalidArgument", `A join token works between a minute and a week, not ${text}.`);
}
