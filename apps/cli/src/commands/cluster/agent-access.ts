import type { CommandContext } from "../../command/command-context.ts";
import type { DocumentFormat } from "../../output/to-document.ts";
import { requireObjectName } from "../../resources/resource.ts";
import { joinSecret } from "./agent-manifest.ts";
import { agentNames } from "./agent-rules.ts";
import { joinLifetimeSeconds } from "./join-lifetime.ts";
import { printManifest } from "./print-manifest.ts";

export interface RotateOptions {
  readonly expires: string;
  readonly namespace: string;
  readonly output: DocumentFormat;
}

/** Prints what lets the agent join again, with a new key; the old one works until it has. */
export async function rotateAgent(
  context: CommandContext,
  clusterName: string,
  options: RotateOptions,
): Promise<void> {
  const name = requireObjectName(clusterName);
  const namespace = requireObjectName(options.namespace);
  const expiresInSeconds = joinLifetimeSeconds(options.expires);
  const client = await context.client();
  const { token, expiresAt } = await client.createJoinToken(name, {
    expiresInSeconds,
    signal: context.signal,
  });
  const secret = joinSecret({ cluster: name, namespace, joinToken: token });
  context.terminal.out(printManifest([secret], options.output));
  context.terminal.error(`The manifest is for \`kubectl apply -f -\`, with the context of that cluster.
It holds a secret that lets one agent join until ${expiresAt}; the key from before works until then.
Then start the agent again: kubectl -n ${namespace} rollout restart deployment/${agentNames.agent}
An agent that runs with --run does not read it: stop that one, and run bowline cluster rotate ${name} --run
`);
}

/** Ends the connections of agents, for good: nobody who has their keys comes back with them. */
export async function revokeAgents(context: CommandContext, names: readonly string[]): Promise<void> {
  const clusters = names.map(requireObjectName);
  const client = await context.client();
  for (const name of clusters) {
    const { keys, joinTokens } = await client.revokeAgents(name, { signal: context.signal });
    context.terminal.out(
      `cluster/${name} revoked (${count(keys, "key")}, ${count(joinTokens, "join token")})\n`,
    );
  }
}

function count(amount: number, what: string): string {
  return `${amount} ${what}${amount === 1 ? "" : "s"}`;
}
