import { BowlineError } from "@bowline/core";
import type { GeneratorSwitches, Mode } from "@bowline/monitoring";
import { Option, type Command } from "commander";

import { CommandExit } from "../../command/failure.ts";

/** The objects that are taken: those the selectors select, all, or all of a kind of which they select nothing. */
type SelectionChoice = "auto" | "selectors" | "all";

/** The flags that decide what a set of custom resources becomes. */
export interface MetricsOptions extends GeneratorSwitches {
  readonly mode?: Mode;
  readonly prometheusVersion?: string;
  readonly root?: string;
  readonly compat?: "grafana-agent";
  readonly selection: SelectionChoice;
  readonly placeholders: boolean;
}

export function addMetricsOptions(
  command: Command,
  { selection }: { readonly selection: SelectionChoice },
): Command {
  return command
    .addOption(
      new Option(
        "--mode <MODE>",
        "For which kind of collector; without it, the kind of the root decides",
      ).choices(["server", "agent"]),
    )
    .option(
      "--prometheus-version <VERSION>",
      "The version of the collector; without it that of the root, or the newest that is known",
    )
    .option(
      "--root <KIND/NAMESPACE/NAME>",
      "The MetricsAgent, Prometheus or PrometheusAgent to look at; all of them without it",
    )
    .addOption(
      new Option(
        "--compat <OPERATOR>",
        "Also read the custom resources of another operator as if they were ours",
      ).choices(["grafana-agent"]),
    )
    .addOption(
      new Option(
        "--selection <WAY>",
        "What is taken: selectors, as in a cluster; all, whatever they say; auto, all of a kind of which they select nothing",
      )
        .choices(["auto", "selectors", "all"])
        .default(selection),
    )
    .option("--placeholders", "Stand in for Secrets and ConfigMaps that are not in the files", false)
    .addOption(
      switchOption("endpoint-slice-supported", "The cluster has EndpointSlices (Kubernetes 1.21 or newer)"),
    )
    .addOption(
      switchOption("daemon-set", "One collector runs on each node; without it, the mode of the root decides"),
    )
    .addOption(switchOption("topology-sharding", "A sharding strategy by zones is followed"))
    .addOption(switchOption("retention-policies", "Shards that were scaled away are kept for their data"));
}

/** `--daemon-set` and `--daemon-set=true` say yes, `--daemon-set=false` says no. */
function switchOption(name: string, description: string): Option {
  return new Option(`--${name} [BOOLEAN]`, description).preset("true").argParser((text: string) => {
    if (text === "true" || text === "false") return text === "true";
    throw new BowlineError(
      "InvalidArgument",
      `--${name} must be true or false, not «${text.slice(0, 64)}»; write --${name}=true before other words.`,
    );
  });
}

export interface AllowRejected {
  readonly allowRejected: boolean;
}

export const allowRejectedOption: [flags: string, description: string, initial: boolean] = [
  "--allow-rejected",
  "Exit with 0 although something was left out",
  false,
];

/** The exit code tells scripts of objects that were left out, which are printed already. */
export function exitWhenRejected(isRejected: boolean, { allowRejected }: AllowRejected): void {
  if (isRejected && !allowRejected) throw new CommandExit(1);
}
