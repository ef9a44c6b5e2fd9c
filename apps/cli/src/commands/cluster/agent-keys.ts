import type { Command } from "commander";

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

export function addRotate(command: Command, context: CommandContext): void {
  const rotate = command
    .command("rotate")
    .summary("Let an agent join again, with a new key")
    .description(
      "Print a Secret with a new join token, to be piped to kubectl apply. The agent makes a new key when it joins with it, and the one from before stops working then.\n\nAn agent that `bowline cluster add --run` has started is stopped first; then `bowline cluster rotate --run` starts it with a new key.",
    )
    .argument("<NAME>", "The cluster");
  addRunFlags(addManifestFlags(rotate)).action(async (name: string, options: RotateOptions & RunFlags) => {
    if (isToRun(options)) {
      const { rotateHere } = await import("./run-here.ts");
      return rotateHere(context, name, options);
    }
    return rotateAgent(context, name, options);
  });
  addExamples(rotate, [
    {
      does: "Renew the key of an agent",
      run: "bowline cluster rotate prod-eu-1 | kubectl --context prod-eu-1 apply -f -\nkubectl --context prod-eu-1 -n bowline-system rollout restart deployment/bowline-agent",
    },
    { does: "Of one that runs here", run: "bowline cluster rotate edge --run --kube-context edge" },
  ]);
}

export function addRevoke(command: Command, context: CommandContext): void {
  const revoke = command
    .command("revoke")
    .summary("Shut out agents, at once")
    .description(
      "Shut out the agents of clusters, at once and for good: connections are closed, and keys and unused join tokens stop working. `bowline cluster rotate` lets an agent in again.",
    )
    .argument("<NAME...>", "The clusters")
    .action((names: string[]) => revokeAgents(context, names));
  addExamples(revoke, [{ does: "Shut out the agent of a cluster", run: "bowline cluster revoke prod-eu-1" }]);
}

interface RotateOptions {
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
  const { agentNames, joinSecret, printManifest } = await import("@bowline/api/agent-manifest");
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
