import { agentRights, defaultRights, type AgentRights, type JoinToken } from "@bowline/api";
import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import type { DocumentFormat } from "../../output/to-document.ts";
import { requireObjectName } from "../../resources/resource.ts";
import {
  addManifestFlags,
  addRunFlags,
  isToRun,
  joinLifetimeSeconds,
  type RunFlags,
} from "./agent-options.ts";
import { ensureCluster, parseLabels } from "../../installation/ensure-cluster.ts";

const collect = (label: string, labels: readonly string[] = []): string[] => [...labels, label];

export function addAdd(command: Command, context: CommandContext): void {
  const add = command
    .command("add")
    .summary("Add a cluster, and print what runs its agent")
    .description(
      "Add a cluster, and print the manifest that runs its agent there, to be piped to kubectl apply. The manifest holds a join token, which works once and not for long.\n\nWhat the agent may see by itself is in the roles of that manifest. With --rights tunnel it is nothing: it only passes requests on, in the names of those who make them, and workloads have no status. With workloads, the default, it reads the kinds that workloads are made of, and events; with observe, all kinds of Kubernetes. Secrets it can read with observe-secrets only.\n\nWith --run, the agent runs here instead, in the foreground, and reaches the cluster by a kubeconfig. It keeps who it is in a folder of its own below ~/.local/share/bowline/agents; the same command connects it again. What else the agent can be told, it takes from its environment variables.",
    )
    .argument("<NAME>", "What to call the cluster")
    .addOption(new Option("-l, --labels <KEY=VALUE>", "A label; give it again for more").argParser(collect))
    .option("--region <REGION>", "Where the cluster runs")
    .option("--image <IMAGE>", "The image of the agent; the one of this version, if left out")
    .addOption(
      new Option("--rights <RIGHTS>", "How much the agent may see by itself, each more than the one before")
        .choices(agentRights)
        .default(defaultRights),
    );
  addRunFlags(addManifestFlags(add), ["image", "rights"]).action(
    async (name: string, options: AddClusterOptions & RunFlags) => {
      if (isToRun(options)) {
        const { addClusterHere } = await import("./run-here.ts");
        return addClusterHere(context, name, options);
      }
      return addCluster(context, name, options);
    },
  );
  addExamples(add, [
    {
      does: "Add a cluster that kubectl reaches already",
      run: "bowline cluster add prod-eu-1 -l env=prod | kubectl --context prod-eu-1 apply -f -",
    },
    {
      does: "Leave more time, and keep the manifest for somebody else to apply",
      run: "bowline cluster add prod-eu-1 --expires 24h > agent.yaml",
    },
    {
      does: "Let the agent pass on requests and see nothing by itself",
      run: "bowline cluster add vault --rights tunnel | kubectl --context vault apply -f -",
    },
    {
      does: "Let it see all kinds of Kubernetes, Secrets excepted",
      run: "bowline cluster add prod-eu-1 --rights observe | kubectl --context prod-eu-1 apply -f -",
    },
    {
      does: "Run the agent here, for a cluster of the kubeconfig",
      run: "bowline cluster add edge --run --kube-context edge",
    },
  ]);
}

interface AddClusterOptions {
  readonly labels?: readonly string[];
  readonly region?: string;
  readonly expires: string;
  readonly namespace: string;
  readonly image?: string;
  readonly rights: AgentRights;
  readonly output: DocumentFormat;
}

/** Makes the Cluster, unless it is there and waits for its agent, and prints what runs that agent. */
export async function addCluster(
  context: CommandContext,
  clusterName: string,
  options: AddClusterOptions,
): Promise<void> {
  const name = requireObjectName(clusterName);
  const namespace = requireObjectName(options.namespace);
  const expiresInSeconds = joinLifetimeSeconds(options.expires);
  const wanted = { labels: parseLabels(options.labels ?? []), region: options.region };
  const client = await context.client();
  const { outcome } = await ensureCluster(client, { name, ...wanted }, context.signal);
  context.terminal.error(`cluster/${name} ${outcome}\n`);
  const joinToken = await client.createJoinToken(name, { expiresInSeconds, signal: context.signal });
  const image = options.image ?? `bowline:${context.version}`;
  const { agentManifest, printManifest } = await import("@bowline/api/agent-manifest");
  const { rights } = options;
  const objects = agentManifest({ cluster: name, namespace, image, rights, joinToken: joinToken.token });
  context.terminal.out(printManifest(objects, options.output));
  context.terminal.error(nextSteps(name, joinToken, context.terminal.isTty));
}

function nextSteps(name: string, { expiresAt, server }: JoinToken, isTty: boolean): string {
  const apply = isTty
    ? `Put the manifest above into the cluster: run this again with "| kubectl apply -f -" behind it.`
    : "The manifest is for `kubectl apply -f -`, with the context of that cluster.";
  return `${apply}
It holds a secret that lets one agent join through ${server} until ${expiresAt}.
See it connect: bowline wait cluster/${name} --for condition=AgentConnected
`;
}
