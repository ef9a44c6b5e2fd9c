import { BowlineError } from "@bowline/core";
import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { requireObjectName } from "../../resources/resource.ts";

interface PolicyOptions {
  readonly provider: string;
  readonly name?: string;
  readonly id?: string;
  readonly boundary: boolean;
  readonly volumes: boolean;
}

export function addPolicy(command: Command, context: CommandContext): void {
  const policy = command
    .command("policy")
    .summary("Print the rights that a provider needs for one cluster")
    .description(
      "Print the rights that a provider needs to make, change and delete one cluster, and nothing else: for eks a policy of IAM. It is tied to the tags that everything of the cluster carries.",
    )
    .addOption(
      new Option("--provider <PROVIDER>", "Who makes the cluster").choices(["eks"]).makeOptionMandatory(),
    )
    .option("--name <NAME>", "The Cluster")
    .option(
      "--id <ID>",
      "The id of its object, once that exists: then the policy is for this one and no other of the name",
    )
    .option(
      "--volumes",
      "With --id: it may delete the volumes of workloads as well, as `bowline down` does with --delete-data",
      false,
    )
    .option("--boundary", "Print what the roles of all clusters may do at most, instead", false)
    .action((options: PolicyOptions) => printPolicy(context, options));
  addExamples(policy, [
    {
      does: "Make the policy of a cluster in AWS",
      run: "bowline cluster policy --provider eks --name web > web.json && aws iam create-policy --policy-name bowline-web --policy-document file://web.json",
    },
    {
      does: "Make the boundary of all roles, once for each account",
      run: "bowline cluster policy --provider eks --boundary > boundary.json && aws iam create-policy --policy-name bowline-boundary --policy-document file://boundary.json",
    },
  ]);
}

async function printPolicy(
  context: CommandContext,
  { name, id, boundary, volumes }: PolicyOptions,
): Promise<void> {
  const { eksBoundary, eksPolicy } = await import("@bowline/providers/eks-policy");
  if (boundary) {
    context.terminal.out(`${JSON.stringify(eksBoundary(), undefined, 2)}\n`);
    return;
  }
  if (name === undefined) {
    throw new BowlineError(
      "InvalidArgument",
      "Give the name of the Cluster with --name, or ask for the --boundary.",
    );
  }
  if (volumes && id === undefined) {
    throw new BowlineError(
      "InvalidArgument",
      "--volumes needs the --id, which the marks of volumes end with.",
    );
  }
  const subject = {
    name: requireObjectName(name),
    deletesVolumes: volumes,
    ...(id === undefined ? {} : { id }),
  };
  context.terminal.out(`${JSON.stringify(eksPolicy(subject), undefined, 2)}\n`);
}
