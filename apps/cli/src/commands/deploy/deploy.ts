import { Cluster, printLabelSelector, WorkloadDefinition, WorkloadInstance, type Kind } from "@bowline/api";
import type { Applied } from "@bowline/client";
import { labelRequirementsOf } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { timeoutOption } from "../../command/shared-options.ts";
import { resourceName } from "../../resources/resource.ts";
import { writeOnTop } from "../../resources/write-on-top.ts";
import type { Placement } from "./deploy-options.ts";
import { addWorkloadFlags, readDeployment, type WorkloadFlags } from "./read-deployment.ts";
import { showRollout } from "./show-rollout.ts";

export function addDeployCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("deploy")
    .usage("(FILE | FOLDER | app.ts | -) (--cluster NAME... | --selector LABELS) [FLAGS]")
    .description(
      "Deploy Kubernetes manifests to clusters: make a WorkloadDefinition that holds them, and a WorkloadInstance of the same name that says where they run. Done again, it changes both; flags that are left out keep what they were, and resources that are no longer in the manifests are deleted in the clusters.\n\nWith --wait it shows how each cluster and each resource does, and exits with 0 once everything is healthy, with 1 when that needs somebody's help or the time is over.",
    )
    .argument(
      "<FILE>",
      "Manifests in YAML or JSON: a file, a folder in the order of its names, or -; or a program that makes them, app.ts",
    );
  addWorkloadFlags(command)
    .option("-R, --recursive", "Look into the folders of a folder as well", false)
    .option("--dry-run", "Have the server check everything and write nothing", false)
    .option("--wait", "Wait until it is healthy in all its clusters", false)
    .addOption(timeoutOption("With --wait: how long to wait", "5m"))
    .action((path: string, options: DeployOptions) => deploy(context, path, options));
  addExamples(command, [
    {
      does: "Deploy a file to a cluster, and see it come up",
      run: "bowline deploy web.yaml --cluster prod-eu-1 --wait",
    },
    {
      does: "Deploy a folder to all production clusters",
      run: "bowline deploy shop/ --selector env=prod --namespace shop",
    },
    { does: "Change what runs; it stays where it is", run: "bowline deploy web.yaml --wait" },
    {
      does: "Fill in what the manifests leave open",
      run: "bowline deploy web.yaml --cluster dev --set image=web:1.4.2 --set replicas:integer=3",
    },
    {
      does: "Deploy what a program in TypeScript makes",
      run: "bowline deploy shop/app.ts --cluster dev --set replicas:integer=3",
    },
    {
      does: "Deploy what another program prints",
      run: "kustomize build overlays/prod | bowline deploy - --name web --cluster prod-eu-1,prod-us-1",
    },
  ]);
}

interface DeployOptions extends WorkloadFlags {
  readonly recursive: boolean;
  readonly dryRun: boolean;
  readonly wait: boolean;
  readonly timeout: number;
}

async function deploy(context: CommandContext, path: string, options: DeployOptions): Promise<void> {
  const { signal, terminal } = context;
  // Everything that can be wrong is found before anything is written.
  const { name, placement, definitionFrom, instanceFrom, before } = await readDeployment(
    context,
    path,
    options,
  );
  if (placement !== undefined) await checkClusters(context, placement);
  const write = { client: await context.client(), name, dryRun: options.dryRun, signal };
  const say = (kind: Kind, { outcome }: Applied<Kind>): void =>
    terminal.out(
      `${resourceName({ kind, name })} ${outcomes[outcome]}${options.dryRun ? " (dry run)" : ""}\n`,
    );
  say(WorkloadDefinition, await writeOnTop(WorkloadDefinition, definitionFrom, write));
  const written = await writeOnTop(WorkloadInstance, instanceFrom, write);
  say(WorkloadInstance, written);
  if (before !== undefined) sayWhatIsLeft(context, before.spec.placement, written.object.spec.placement);
  if (options.wait && !options.dryRun) await showRollout(context, name, options.timeout);
}

const outcomes = { created: "created", updated: "configured", unchanged: "unchanged" } as const;

/** A name that is not there is a slip; the server would take it, and wait for such a cluster. */
async function checkClusters(
  { client, signal, terminal }: CommandContext,
  placement: Placement,
): Promise<void> {
  const server = await client();
  for (const name of placement.clusters ?? []) await server.get(Cluster, name, { signal });
  if (placement.selector === undefined) return;
  const labelSelector = printLabelSelector(labelRequirementsOf(placement.selector));
  const { metadata } = await server.list(Cluster, { labelSelector, limit: 1 }, { signal });
  if (metadata.total === 0) {
    terminal.error(
      `No cluster has the labels ${labelSelector} yet; it is deployed to each that gets them.\n`,
    );
  }
}

/** Somebody who names one cluster may not think of the others, where everything will be deleted. */
function sayWhatIsLeft({ terminal }: CommandContext, before: Placement, after: Placement): void {
  const left = (before.clusters ?? []).filter((name) => after.clusters?.includes(name) === false);
  if (left.length > 0)
    terminal.error(`It is taken out of ${left.join(", ")}, which the placement no longer names.\n`);
}
