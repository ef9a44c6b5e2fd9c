import { WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { isProgram } from "../../programs/render-app.ts";
import { requireObjectName } from "../../resources/resource.ts";
import { currentObject } from "../../resources/write-on-top.ts";
import { parseSet, placementOf, type GivenValue, type Placement } from "./deploy-options.ts";
import { readProgram } from "./read-program.ts";
import { nameFromPath, readWorkload, workloadIn } from "./read-workload.ts";
import { definitionBody, instanceBody, type DefinitionBody, type InstanceBody } from "./workload-bodies.ts";

/** The flags that say what is to be deployed, and where. */
export interface WorkloadFlags {
  readonly cluster?: readonly string[];
  readonly selector?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly set?: readonly GivenValue[];
}

const collect = (text: string, texts: readonly string[] = []): string[] => [...texts, text];

const collectValue = (text: string, values: readonly GivenValue[] = []): GivenValue[] => [
  ...values,
  parseSet(text),
];

export function addWorkloadFlags(command: Command): Command {
  return command
    .addOption(
      new Option("--cluster <NAME>", "A cluster to run in; several with commas, or again").argParser(collect),
    )
    .option("-l, --selector <LABELS>", "Run in all clusters with these labels, also in those added later")
    .option("--name <NAME>", "What to call it; the name of the file or the folder, if left out")
    .option("-n, --namespace <NAMESPACE>", "The namespace of resources that name none; default, if left out")
    .addOption(
      new Option(
        "--set <NAME=VALUE>",
        "The value of a parameter, ${{ NAME }} in the manifests or parameters.NAME in a program; NAME:integer=VALUE for what is no text",
      ).argParser(collectValue),
    );
}

/** What manifests and flags would make of a definition and an instance of one name. */
export interface Deployment {
  readonly name: string;
  /** Where the flags say that it runs; undefined when they say nothing. */
  readonly placement: Placement | undefined;
  /** The instance that there is. */
  readonly before: WorkloadInstance | undefined;
  /** Both as they would be now. */
  readonly definition: DefinitionBody;
  readonly instance: InstanceBody;
  /** Both on top of what there is when they are written. */
  readonly definitionFrom: (now: WorkloadDefinition | undefined) => DefinitionBody;
  readonly instanceFrom: (now: WorkloadInstance | undefined) => InstanceBody;
}

/** Reads the manifests and what there is. Throws `Invalid` or `InvalidArgument` for everything that is wrong here. */
export async function readDeployment(
  context: CommandContext,
  path: string,
  flags: WorkloadFlags & { readonly recursive: boolean },
): Promise<Deployment> {
  const name = nameOf(path, flags);
  const placement = placementOf(flags);
  const namespace = flags.namespace === undefined ? undefined : requireObjectName(flags.namespace);
  const given = flags.set ?? [];
  const workload = isProgram(path)
    ? workloadIn(path, [await readProgram(context, { path, name, values: given, placement })])
    : await readWorkload(context, path, flags);
  // A program has had them already; what its objects still refer to is filled in by the server.
  const values = isProgram(path) ? given.filter((each) => workload.parameters.includes(each.name)) : given;
  const client = await context.client();
  const { signal } = context;
  const definitionFrom = (now: WorkloadDefinition | undefined): DefinitionBody =>
    definitionBody({ name, workload, values }, now);
  const definition = definitionFrom(await currentObject(client, WorkloadDefinition, name, signal));
  const wish = { name, values, placement, namespace, parameters: definition.spec.parameters };
  const instanceFrom = (now: WorkloadInstance | undefined): InstanceBody => instanceBody(wish, now);
  const before = await currentObject(client, WorkloadInstance, name, signal);
  const instance = instanceFrom(before);
  return { name, placement, before, definition, instance, definitionFrom, instanceFrom };
}

function nameOf(path: string, { name }: WorkloadFlags): string {
  if (name !== undefined) return requireObjectName(name);
  const found = nameFromPath(path);
  if (found !== undefined) return found;
  throw new BowlineError("InvalidArgument", "Say what to call it: --name NAME.");
}
