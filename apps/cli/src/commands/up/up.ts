import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { addValueFlags, type ValueFlags } from "../install/value-options.ts";

/** As `up` and `down` take them. */
export interface PlaceFlags {
  readonly kubeconfig?: string;
  readonly kubeContext?: string;
  readonly namespace?: string;
  readonly data?: string;
}

export interface UpFlags extends PlaceFlags, ValueFlags {
  readonly local?: boolean;
  readonly name?: string;
  readonly service?: string;
  readonly listen?: string;
  readonly url?: string;
  readonly image?: string;
  readonly register?: boolean;
  readonly cluster?: string;
  readonly plan: boolean;
  readonly list: boolean;
  readonly from?: string;
}

export function addUpCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("up")
    .description(
      "Set up a control plane: on this machine, or in a Kubernetes cluster with --kubeconfig.\n\nIt goes through named phases: preflight, infrastructure, install, wait, bootstrap, register, save. What is to be made is written down before it is made, so that the same command goes on where one was interrupted, and `bowline down` finds everything. The context for the command line is written last, when all of it works; until then nothing of your configuration is touched.",
    )
    .option("--name <NAME>", 'What to call it, and its context (default: "local", or "bowline" in a cluster)')
    .option("--plan", "Say what would be done, and do nothing", false)
    .option("--list", "List what was set up from this machine, and do nothing", false)
    .option("--from <PHASE>", "Begin with this phase; those before it are taken to be done")
    .option("--url <URL>", "The address that others will know the server by")
    .option("--image <IMAGE>", "The image of the server; the one of this version, if left out");
  addLocalOptions(command);
  addClusterOptions(command);
  command.action(async (options: UpFlags) => {
    const { bringUp, listInstallations } = await import("./bring-up.ts");
    return options.list ? listInstallations(context) : bringUp(context, options);
  });
  addExamples(command, [
    { does: "A server on this machine", run: "bowline up" },
    {
      does: "For other machines, and started again with this one",
      run: "bowline up --service systemd --listen 0.0.0.0:7443 --url https://bowline.example.com:7443",
    },
    { does: "Look before it happens", run: "bowline up --kubeconfig ~/.kube/config --plan" },
    {
      does: "In a cluster, which becomes the first one of the fleet",
      run: "bowline up --kubeconfig ~/.kube/config --kube-context prod",
    },
    {
      does: "In a cluster with two replicas, on a PostgreSQL and a NATS that are there",
      run: "bowline up --kubeconfig ~/.kube/config -f values.yaml --url https://bowline.example.com",
    },
    { does: "See what there is", run: "bowline up --list" },
  ]);
}

function addLocalOptions(command: Command): void {
  const local = "On this machine:";
  command
    .addOption(new Option("--local", "Set it up on this machine, which is the default").helpGroup(local))
    .addOption(
      new Option(
        "--service <HOW>",
        "What runs the server: a process of its own, a unit of systemd, or compose",
      )
        .choices(["process", "systemd", "compose"])
        .helpGroup(local),
    )
    .addOption(
      new Option("--listen <ADDRESS>", "Where the server listens (default: 127.0.0.1:7443)").helpGroup(local),
    )
    .addOption(
      new Option(
        "--data <FOLDER>",
        "The data folder of the server (default: bowline in $XDG_DATA_HOME, usually ~/.local/share/bowline)",
      ).helpGroup(local),
    );
}

function addClusterOptions(command: Command): void {
  const cluster = "In a cluster:";
  command
    .addOption(
      new Option("--kubeconfig <FILE>", "Set it up in the cluster of this kubeconfig")
        .conflicts(["local", "service", "listen", "data"])
        .helpGroup(cluster),
    )
    .addOption(
      new Option(
        "--kube-context <NAME>",
        "The context in the kubeconfig (default: the current one)",
      ).helpGroup(cluster),
    )
    .addOption(
      new Option("-n, --namespace <NAMESPACE>", "Where in the cluster (default: bowline-system)").helpGroup(
        cluster,
      ),
    )
    .addOption(
      new Option(
        "--cluster <NAME>",
        "What the fleet calls the cluster it runs in (default: the name)",
      ).helpGroup(cluster),
    )
    .addOption(
      new Option(
        "--register",
        "Make the cluster it runs in one of the fleet, which is the default",
      ).helpGroup(cluster),
    )
    .addOption(new Option("--no-register", "Leave it out of the fleet").helpGroup(cluster));
  addValueFlags(command);
}
