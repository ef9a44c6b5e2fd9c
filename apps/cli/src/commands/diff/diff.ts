import { findKind, WorkloadInstance } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { CommandExit } from "../../command/failure.ts";
import { outputOption } from "../../command/shared-options.ts";
import { addManifestOptions, type ManifestOptions } from "../../manifests/manifest-options.ts";
import { isObjectName } from "../../resources/resource.ts";
import { placementOf } from "../deploy/deploy-options.ts";
import { addWorkloadFlags, readDeployment, type WorkloadFlags } from "../deploy/read-deployment.ts";
import { diffObjects } from "./diff-objects.ts";
import { diffWorkload, type DiffVerdict, type WorkloadFormat } from "./diff-workload.ts";

/** As of `diff` and `kubectl diff`, so that scripts that know those know this one. */
const exitCodes: Readonly<Record<DiffVerdict, number>> = { same: 0, different: 1, failed: 2 };

export function addDiffCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("diff")
    .usage("(wi/INSTANCE | FILE | FOLDER | app.ts | - | -f FILE...) [FLAGS]")
    .description(
      "Show what would change in clusters, or on the server.\n\nOf a workload instance: what would become of its resources if it were applied now, as each of its clusters says by a dry run, in your name and with your grants. Of Kubernetes manifests, with the flags of deploy: the same, if they were deployed. Clusters in which it is the same are shown together; a cluster that does not answer does not keep the others back. With -f alone: what apply would change in objects of the server.\n\nExits with 0 when nothing would change, 1 when something would, 2 when that cannot be told, or would be refused. Values of secrets are never shown, only that they would change.",
    )
    .argument(
      "[WHAT]",
      "An instance as wi/NAME; or manifests as deploy takes them: a file, a folder, a program app.ts, or -",
    );
  addManifestOptions(command, { mandatory: false });
  addWorkloadFlags(command)
    .option(
      "--ref <REF>",
      "Compare a branch, tag or commit of its repository, as if it were merged; for wi/NAME",
    )
    .option("--all", "Ask all of its clusters, as without --cluster", false)
    .addOption(outputOption(["json", "yaml"]))
    .action(async (what: string | undefined, options: DiffOptions) => {
      const verdict = await diff(context, what, options).catch((thrown: unknown) => {
        throw new CommandExit(exitCodes.failed, thrown);
      });
      if (verdict !== "same") throw new CommandExit(exitCodes[verdict]);
    });
  addExamples(command, [
    { does: "See what differs between a workload and its clusters", run: "bowline diff wi/web" },
    {
      does: "See in a pull request what merging it would do in every cluster",
      run: "bowline diff wi/web --ref refs/heads/bigger-pods",
    },
    { does: "See what a change of the manifests would do", run: "bowline diff web.yaml" },
    {
      does: "See what would be made in a cluster, before it is deployed there",
      run: "bowline diff shop/ --cluster prod-eu-1 --namespace shop --set image=web:1.4.2",
    },
    {
      does: "The resources that would be deleted, for a program",
      run: "bowline diff web.yaml -o json | jq '.clusters[].objects[] | select(.change == \"deleted\")'",
    },
    { does: "See what a file of Bowline's own objects would change", run: "bowline diff -f clusters.yaml" },
    {
      does: "Apply a folder only if it would change something",
      run: "bowline diff -R -f deploy/ || bowline apply -R -f deploy/",
    },
  ]);
}

interface DiffOptions extends ManifestOptions, WorkloadFlags {
  readonly ref?: string;
  readonly all: boolean;
  readonly output?: WorkloadFormat;
}

async function diff(
  context: CommandContext,
  what: string | undefined,
  options: DiffOptions,
): Promise<DiffVerdict> {
  const { filename, output } = options;
  const isWorkload = workloadFlagsIn(options).length > 0;
  if (options.ref !== undefined && instanceIn(what ?? "") === undefined) {
    throw new BowlineError(
      "InvalidArgument",
      "--ref is for an instance whose definition is from git: wi/NAME.",
    );
  }
  if (options.all && options.cluster !== undefined) {
    throw new BowlineError("InvalidArgument", "Give --all or --cluster, not both.");
  }
  if (what !== undefined && filename !== undefined) {
    throw new BowlineError("InvalidArgument", `Give -f, or «${what.slice(0, 64)}» alone, not both.`);
  }
  if (what === undefined && !isWorkload) {
    if (filename === undefined) throw new BowlineError("InvalidArgument", nothingGiven);
    if (output !== undefined) throw new BowlineError("InvalidArgument", "-o is for workloads, not for -f.");
    return (await diffObjects(context, options)) ? "different" : "same";
  }
  const [path, ...others] = filename ?? [what ?? ""];
  if (path === undefined || path === "" || others.length > 0) {
    throw new BowlineError("InvalidArgument", "Manifests to deploy are one file, one folder, or -.");
  }
  const instance = instanceIn(path);
  if (instance !== undefined && filename === undefined) return diffInstance(context, instance, options);
  const { name, definition, instance: body } = await readDeployment(context, path, options);
  return diffWorkload(context, { name, definition, instance: body, output });
}

const nothingGiven =
  "Say what to compare: wi/NAME, manifests as for deploy, or objects of the server with -f FILE.";

/** The flags that say something about manifests to deploy. */
function workloadFlagsIn({ cluster, selector, name, namespace, set }: DiffOptions): string[] {
  const flags = { "--cluster": cluster, "--selector": selector, "--name": name, "--namespace": namespace };
  return Object.entries({ ...flags, "--set": set }).flatMap(([flag, value]) =>
    value === undefined ? [] : [flag],
  );
}

/** The name in `wi/web`; undefined for what is a path. A file of such a name is written `./wi/web`. */
function instanceIn(argument: string): string | undefined {
  const [kind = "", name = "", ...others] = argument.split("/");
  const isInstance = findKind(kind) === WorkloadInstance && isObjectName(name) && others.length === 0;
  return isInstance ? name : undefined;
}

async function diffInstance(
  context: CommandContext,
  name: string,
  options: DiffOptions,
): Promise<DiffVerdict> {
  const other = workloadFlagsIn(options).find((flag) => flag !== "--cluster");
  if (other !== undefined) {
    throw new BowlineError("InvalidArgument", `${other} is for manifests; wi/${name} has all of it already.`);
  }
  const only = placementOf(options)?.clusters;
  return diffWorkload(context, { name, only, ref: options.ref, output: options.output });
}
