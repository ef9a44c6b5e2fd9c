import { BowlineError } from "@bowline/core";
import {
  fillParameters,
  describeProblem,
  referencesIn,
  type ClusterFacts,
  type ManifestObject,
} from "@bowline/manifests";
import { rendererTypes } from "@bowline/render";
import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { outputOption } from "../../command/shared-options.ts";
import { objectsDocument } from "../../output/object-document.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { isProgram, renderApp } from "../../programs/render-app.ts";
import { parseSet, type GivenValue } from "../deploy/deploy-options.ts";
import { parseClusterFacts } from "./cluster-facts.ts";
import { renderPath, type RenderFlags } from "./render-path.ts";

export function addRenderCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("render")
    .usage("(FILE | FOLDER | app.ts | -) [FLAGS]")
    .description(
      "Print the Kubernetes objects that files, a chart or a program make, without a server and without a cluster.\n\nA folder with a Chart.yaml is rendered by the helm of this machine, one with a kustomization.yaml by its kustomize or kubectl, without network; any other is read as YAML and JSON. A program in TypeScript runs twice, can read its folder and nothing else, and has to give the same objects twice.\n\nReferences such as ${{ image }} and ${{ cluster.name }} stay as they are unless values are given; then all of them have to have one.",
    )
    .argument("<PATH>", "A file, a folder, a program such as app.ts, or - for standard input");
  for (const [flag, description] of [
    ["--set <NAME=VALUE>", "The value of a parameter; NAME:integer=VALUE for what is no text"],
    ["--parameter <NAME=VALUE>", "The same as --set"],
  ] as const) {
    command.addOption(new Option(flag, description).argParser(collectValue));
  }
  command
    .option("--cluster-facts <FACTS>", "Render for a cluster: name=NAME,region=REGION,labels.KEY=VALUE")
    .addOption(
      new Option("--type <TYPE>", "What renders it").choices(["auto", ...rendererTypes]).default("auto"),
    )
    .option("--root <FOLDER>", "The folder that has everything a kustomization refers to; PATH, if left out")
    .addOption(
      new Option("--include <GLOB>", "Only the manifests that fit; may be given again").argParser(collect),
    )
    .addOption(new Option("--exclude <GLOB>", "No manifests that fit; may be given again").argParser(collect))
    .option("--values <FILE>", "Values of a chart, in YAML or JSON")
    .option(
      "--release-name <NAME>",
      "What a chart takes its release for; the name of the folder, if left out",
    )
    .option("-n, --namespace <NAMESPACE>", "What a chart takes its namespace for", "default")
    .addOption(outputOption(["yaml", "json"], "yaml"))
    .action((path: string, options: RenderOptions) => render(context, path, options));
  addExamples(command, [
    { does: "See what an overlay of kustomize comes to", run: "bowline render overlays/prod --root ." },
    { does: "Render a chart with values", run: "bowline render charts/web --values prod.yaml -n shop" },
    {
      does: "See what a program makes for a cluster",
      run: "bowline render app.ts --set replicas:integer=3 --cluster-facts name=prod-eu-1,labels.tier=gold",
    },
    {
      does: "The names of all objects, for a program",
      run: "bowline render shop/ -o json | jq -r '.items[].metadata.name'",
    },
  ]);
}

const collect = (text: string, texts: readonly string[] = []): string[] => [...texts, text];
const collectValue = (text: string, values: readonly GivenValue[] = []): GivenValue[] => [
  ...values,
  parseSet(text),
];

interface RenderOptions extends RenderFlags {
  readonly set?: readonly GivenValue[];
  readonly parameter?: readonly GivenValue[];
  readonly clusterFacts?: string;
  readonly output: "yaml" | "json";
}

async function render(context: CommandContext, path: string, options: RenderOptions): Promise<void> {
  const values = [...(options.set ?? []), ...(options.parameter ?? [])];
  const facts = options.clusterFacts === undefined ? undefined : parseClusterFacts(options.clusterFacts);
  const objects = isProgram(path)
    ? await programObjects(context, { path, values, facts })
    : filled(await renderPath(context, path, options), values, facts);
  context.terminal.out(await objectsDocument(objects, options.output));
}

interface ProgramQuestion {
  readonly path: string;
  readonly values: readonly GivenValue[];
  readonly facts: ClusterFacts | undefined;
}

async function programObjects(
  context: CommandContext,
  { path, values, facts }: ProgramQuestion,
): Promise<readonly ManifestObject[]> {
  const { forAll, forEach } = await renderApp(context, {
    path,
    values,
    clusters: facts === undefined ? [] : [facts],
  });
  return forEach[0]?.objects ?? forAll;
}

/** As the server would fill them in. Without any value to fill in, references stay. */
function filled(
  objects: readonly ManifestObject[],
  values: readonly GivenValue[],
  facts: ClusterFacts | undefined,
): readonly ManifestObject[] {
  if (values.length === 0 && facts === undefined) return objects;
  const { parameters: used } = referencesIn(objects);
  const unused = values.find(({ name }) => !used.some((parameter) => parameter.name === name));
  if (unused !== undefined) {
    throw new BowlineError("InvalidArgument", `The manifests do not refer to a parameter ${unused.name}.`);
  }
  const parameters = new Map(
    values.map(({ name, type = "string", value }) => [name, { type, text: value }] as const),
  );
  const cluster = facts ?? { name: "${{ cluster.name }}", labels: {} };
  const result = fillParameters(objects, { parameters, cluster });
  const [first, ...others] = result.problems;
  if (first === undefined) return result.objects;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  throw new BowlineError("Invalid", `${printableLine(describeProblem(first))}${more}.`, {
    details: {
      fields: result.problems.map((problem) => ({
        path: problem.object ?? "",
        message: describeProblem(problem),
      })),
    },
  });
}
