import type { JoinToken } from "@bowline/api";

import type { CommandContext } from "../../command/command-context.ts";
import type { DocumentFormat } from "../../output/to-document.ts";
import { requireObjectName } from "../../resources/resource.ts";
import { agentManifest } from "./agent-manifest.ts";
import { ensureCluster } from "./ensure-cluster.ts";
import { joinLifetimeSeconds } from "./join-lifetime.ts";
import { parseLabels } from "./parse-labels.ts";
import { printManifest } from "./print-manifest.ts";

export interface AddClusterOptions {
  readonly labels?: readonly string[];
  readonly region?: string;
  readonly expires: string;
  readonly namespace: string;
  readonly image?: string;
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
  const image = options.image ?? `bowline-agent:${context.version}`;
  const objects = agentManifest({ cluster: name, namespace, image, joinToken: joinToken.token });
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
