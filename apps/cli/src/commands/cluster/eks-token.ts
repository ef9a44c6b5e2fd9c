import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { execApiVersion } from "../../kubeconfig/kubeconfig-entries.ts";

/** Control planes take a token for fifteen minutes; one that is about to end is not used any more. */
const usedForMs = 14 * 60_000;

export function addEksToken(command: Command, context: CommandContext): void {
  const token = command
    .command("eks-token")
    .summary("Print a token for a cluster of Amazon EKS")
    .description(
      "Print a token for the control plane of a cluster of Amazon EKS as an ExecCredential. kubectl, and Bowline itself, run this as the kubeconfigs tell them that `bowline up --eks` writes. It is made of the AWS identity of this machine, as the AWS command line finds it, ends within fifteen minutes, and is kept nowhere.",
    )
    .argument("<CLUSTER>", "The cluster, by its name in AWS")
    .requiredOption("--region <REGION>", "Where it is")
    .action((cluster: string, { region }: { readonly region: string }) =>
      printToken(context, cluster, region),
    );
  addExamples(token, [
    {
      does: "What kubectl runs for the cluster of an installation",
      run: "bowline cluster eks-token bowline-prod-0a1b2c --region eu-west-1",
    },
  ]);
}

async function printToken(
  { clock, environment, terminal }: CommandContext,
  cluster: string,
  region: string,
): Promise<void> {
  const { AwsProcess, refusalOf } = await import("@bowline/providers");
  const expirationTimestamp = new Date(clock.now() + usedForMs).toISOString().replace(/\.\d+Z$/u, "Z");
  await using aws = new AwsProcess({ clock, env: environment });
  const { token } = await aws.token({ region }, cluster).catch((error: unknown) => {
    throw refusalOf(error);
  });
  const status = { token, expirationTimestamp };
  terminal.out(`${JSON.stringify({ apiVersion: execApiVersion, kind: "ExecCredential", status })}\n`);
}
