import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { outputOption } from "../../command/shared-options.ts";
import { requireInstallationName } from "../../installation/installation-name.ts";
import { requireObjectName } from "../../resources/resource.ts";
import { addValueFlags, chooseValues, type ValueFlags } from "./value-options.ts";

export function addManifests(command: Command, context: CommandContext): void {
  const manifests = command
    .command("manifests")
    .summary("Print the Kubernetes objects of a server")
    .description(
      "Print the Kubernetes objects of a server, to be piped to kubectl apply. With SQLite, the default, it is one pod with a volume; with PostgreSQL as many as replicas says.",
    );
  addValueFlags(manifests)
    .option("-n, --namespace <NAMESPACE>", "The namespace of the objects", "bowline-system")
    .option("--create-namespace", "Print the namespace too", false)
    .option("--name <NAME>", "What the objects are called", "bowline")
    .option(
      "--kube-version <VERSION>",
      "For a Kubernetes as old as this, such as 1.20; the newest, if left out",
    )
    .addOption(outputOption(["yaml", "json"], "yaml"))
    .action((options: ManifestsOptions) => printManifests(context, options));
  addExamples(manifests, [
    {
      does: "One server on SQLite",
      run: "bowline install manifests --create-namespace | kubectl apply -f -",
    },
    {
      does: "Two servers on PostgreSQL and NATS, with Secrets that are there already",
      run: "bowline install manifests --set replicas=2 --set database.postgres.existingSecret=bowline-database \\\n  --set encryption.existingSecret=bowline-encryption --set nats.existingSecret=bowline-nats | kubectl apply -f -",
    },
    {
      does: "What a change of the values would change",
      run: "bowline install manifests -f values.yaml | kubectl diff -f -",
    },
  ]);
}

interface ManifestsOptions extends ValueFlags {
  readonly namespace: string;
  readonly createNamespace: boolean;
  readonly name: string;
  readonly kubeVersion?: string;
  readonly output: "yaml" | "json";
}

async function printManifests(context: CommandContext, options: ManifestsOptions): Promise<void> {
  const name = requireInstallationName(options.name);
  const namespace = requireObjectName(options.namespace);
  const kubernetes = readKubernetesVersion(options.kubeVersion);
  const { values, settings } = await chooseValues(context, options);
  const { installationObjects } = await import("@bowline/install");
  const { namespaceObject, printManifest } = await import("@bowline/api/agent-manifest");
  const release = { name, namespace, version: context.version, ...kubernetes };
  const objects = installationObjects(values, release, settings);
  const all = options.createNamespace ? [namespaceObject(namespace), ...objects] : objects;
  const printed = all.map((object) => ({ object }));
  context.terminal.out(printManifest(printed, options.output));
}

function readKubernetesVersion(text: string | undefined): { readonly kubernetesVersion?: string } {
  if (text === undefined) return {};
  const [, version, minor] = /^v?(1\.(\d{1,3}))(?:\.\d+.*)?$/u.exec(text) ?? [];
  if (version === undefined) {
    throw new BowlineError(
      "InvalidArgument",
      `«${text.slice(0, 64)}» is not a version of Kubernetes such as 1.36.`,
    );
  }
  if (Number(minor) < 20) {
    throw new BowlineError("InvalidArgument", `Bowline needs Kubernetes 1.20 or newer, not ${version}.`);
  }
  return { kubernetesVersion: version };
}
