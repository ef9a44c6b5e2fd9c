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
  readonly kind?: boolean;
  readonly engine?: string;
  readonly eks?: boolean;
  readonly region?: string;
  readonly awsProfile?: string;
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
  readonly nodes?: string;
  readonly maxNodes?: string;
  readonly nodeType?: string;
  readonly vpc?: string;
  readonly subnets?: string;
  readonly kubernetesVersion?: string;
  readonly nodeImage?: string;
  readonly imageArchive?: string;
  readonly plan: boolean;
  readonly list: boolean;
  readonly from?: string;
}

export function addUpCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("up")
    .description(
      "Set up a control plane: on this machine, in a Kubernetes cluster with --kubeconfig, or in one that is made for it with --kind or --eks.\n\nIt goes through named phases: preflight, infrastructure, install, wait, bootstrap, register, save. What is to be made is written down before it is made, so that the same command goes on where one was interrupted, and `bowline down` finds everything. The context for the command line is written last, when all of it works; until then nothing of your configuration is touched.",
    )
    .option("--name <NAME>", 'What to call it, and its context (default: "local", or "bowline" in a cluster)')
    .option("--plan", "Say what would be done, and do nothing", false)
    .option("--list", "List what was set up from this machine, and do nothing", false)
    .option("--from <PHASE>", "Begin with this phase; those before it are taken to be done")
    .option("--url <URL>", "The address that others will know the server by")
    .option("--image <IMAGE>", "The image of the server; the one of this version, if left out");
  addLocalOptions(command);
  addClusterOptions(command);
  addMadeOptions(command);
  addKindOptions(command);
  addEksOptions(command);
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
    {
      does: "In a cluster of containers on this machine, with an image that was built here",
      run: "bowline up --kind --image bowline:dev --image-archive bowline.tar",
    },
    {
      does: "In a cluster of Amazon EKS, with its network: look at the steps and what it costs an hour",
      run: "bowline up --eks --region eu-west-1 --plan",
    },
    {
      does: "Make it, with machines and a version of your choice",
      run: "bowline up --eks --region eu-west-1 --node-type m7i.large --nodes 2 --max-nodes 4 --kubernetes-version 1.34 --image registry.example.com/bowline:0.1.0",
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

function addMadeOptions(command: Command): void {
  const made = "In a cluster that is made for it:";
  const options = [
    new Option(
      "--nodes <NUMBER>",
      "How many nodes (default: 1 of kind, the control plane among them, and 2 machines of EKS)",
    ),
    new Option(
      "--kubernetes-version <VERSION>",
      "As 1.36.1 for kind, 1.34 for EKS (default: the newest that kind knows, and what AWS takes by default)",
    ),
  ];
  for (const option of options) command.addOption(option.helpGroup(made));
}

function addEksOptions(command: Command): void {
  const eks = "In a cluster of Amazon EKS:";
  const options = [
    new Option(
      "--eks",
      "Make an EKS cluster, as whoever AWS takes this machine for, and set it up in there",
    ).conflicts(["local", "service", "listen", "data", "kubeconfig", "kubeContext", "kind"]),
    regionOption(),
    profileOption(),
    new Option("--node-type <TYPE>", "The type of the machines (default: m6i.large)"),
    new Option("--max-nodes <NUMBER>", "Never more machines than this (default: as many as --nodes)"),
    new Option(
      "--vpc <ID>",
      "A network that exists, with --subnets; nothing of it is changed (default: a new one)",
    ),
    new Option("--subnets <IDS>", "Its subnets, in two zones at least, with commas between them"),
  ];
  for (const option of options) command.addOption(option.helpGroup(eks));
}

export function regionOption(): Option {
  return new Option("--region <REGION>", "The region of AWS, such as eu-west-1");
}

export function profileOption(): Option {
  return new Option(
    "--aws-profile <NAME>",
    "The profile of the AWS configuration (default: as AWS_PROFILE says)",
  );
}

function addKindOptions(command: Command): void {
  const kind = "In a cluster that kind makes of containers:";
  const options = [
    new Option("--kind", "Make a kind cluster on this machine, and set it up in there").conflicts([
      "local",
      "service",
      "listen",
      "data",
      "kubeconfig",
      "kubeContext",
      "eks",
    ]),
    new Option("--node-image <IMAGE>", "The image of the nodes, instead of kind's own for the version"),
    engineOption(),
    new Option(
      "--image-archive <FILE>",
      "An archive with the image of the server, for nodes that cannot pull it",
    ),
  ];
  for (const option of options) command.addOption(option.helpGroup(kind));
}

export function engineOption(): Option {
  return new Option(
    "--engine <ENGINE>",
    "What runs the containers (default: the one that kind finds)",
  ).choices(["docker", "podman", "nerdctl"]);
}
