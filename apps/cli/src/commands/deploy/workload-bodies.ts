import type { WorkloadDefinition, WorkloadInstance, WriteBodyOf } from "@bowline/api";
import { BowlineError, didYouMean } from "@bowline/core";

import type { GivenValue, Placement } from "./deploy-options.ts";
import type { Workload } from "./read-workload.ts";

type Parameter = WorkloadDefinition["spec"]["parameters"][number];
export type InstanceBody = WriteBodyOf<typeof WorkloadInstance>;

/** Whole, without anything that is left to defaults. */
export interface DefinitionBody extends WriteBodyOf<typeof WorkloadDefinition> {
  readonly spec: WorkloadDefinition["spec"];
}

export interface DefinitionWish {
  readonly name: string;
  readonly workload: Workload;
  readonly values: readonly GivenValue[];
}

/** The definition that holds the manifests. What somebody has written into it besides stays. */
export function definitionBody(
  { name, workload, values }: DefinitionWish,
  current: WorkloadDefinition | undefined,
): DefinitionBody {
  if (current?.spec.source.git !== undefined) {
    throw new BowlineError(
      "Conflict",
      `WorkloadDefinition "${name}" takes its manifests from git, and deploy would write over that; choose another name with --name.`,
    );
  }
  return {
    metadata: metadataOf(name, current),
    spec: {
      source: { inline: { manifests: workload.manifests } },
      parameters: declaredParameters(workload, values, current?.spec.parameters ?? []),
    },
  };
}

/** Parameters that are declared stay as they are; those that are new are text, unless a type was given. */
function declaredParameters(
  { parameters: used }: Workload,
  values: readonly GivenValue[],
  before: readonly Parameter[],
): Parameter[] {
  const typed = (parameter: Parameter): Parameter => {
    const type = values.find(({ name }) => name === parameter.name)?.type;
    return type === undefined ? parameter : { ...parameter, type };
  };
  const added = used
    .filter((name) => !before.some((parameter) => parameter.name === name))
    .map((name): Parameter => ({ name, type: "string", required: true }));
  return [...before, ...added].map(typed);
}

export interface InstanceWish {
  readonly name: string;
  readonly values: readonly GivenValue[];
  readonly placement: Placement | undefined;
  readonly namespace: string | undefined;
  /** Of the definition. */
  readonly parameters: readonly Parameter[];
}

/** The instance of the definition of the same name. Settings that the command line does not name stay. */
export function instanceBody(wish: InstanceWish, current: WorkloadInstance | undefined): InstanceBody {
  const { name, namespace } = wish;
  const before = current?.spec;
  if (before !== undefined && before.definition !== name) {
    throw new BowlineError(
      "Conflict",
      `WorkloadInstance "${name}" deploys the definition "${before.definition}"; choose another name with --name.`,
    );
  }
  const placement = wish.placement ?? before?.placement;
  if (placement === undefined) {
    throw new BowlineError(
      "InvalidArgument",
      "Say where it is to run: --cluster NAME, or --selector for all clusters with a label.",
    );
  }
  return {
    metadata: metadataOf(name, current),
    spec: {
      ...before,
      definition: name,
      placement,
      ...(namespace === undefined ? {} : { namespace }),
      parameters: chosenValues(wish, before?.parameters ?? {}),
    },
  };
}

function chosenValues(
  { parameters, values }: InstanceWish,
  before: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = parameters.map(({ name }) => name);
  for (const { name } of values) {
    if (names.includes(name)) continue;
    const hint = didYouMean(name, names) || ".";
    throw new BowlineError("InvalidArgument", `The manifests do not refer to a parameter ${name}${hint}`);
  }
  const all = { ...before, ...Object.fromEntries(values.map(({ name, value }) => [name, value])) };
  const chosen = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
  const missing = parameters.filter(({ name, required }) => required && !Object.hasOwn(chosen, name));
  if (missing.length === 0) return chosen;
  const flags = missing.map(({ name }) => `--set ${name}=…`).join(" ");
  throw new BowlineError(
    "InvalidArgument",
    `The manifests refer to ${missing.length === 1 ? "a parameter that has" : "parameters that have"} no value; add ${flags}`,
  );
}

function metadataOf(
  name: string,
  current: WorkloadDefinition | WorkloadInstance | undefined,
): InstanceBody["metadata"] {
  if (current === undefined) return { name };
  const { labels, annotations } = current.metadata;
  return { name, labels, annotations };
}
