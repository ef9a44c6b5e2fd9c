import { BowlineError } from "@bowline/core";
import { Option, type Command } from "commander";

import { parseField, type FieldValue } from "./set-field.ts";

/** The providers that make clusters. */
export const makers = ["exec", "kind", "clusterapi", "eks"] as const;
export type Maker = (typeof makers)[number];

interface SpecFlag {
  readonly name: string;
  readonly placeholder: string;
  readonly description: string;
  /** The fields of `spec` that it stands for, by the provider. */
  readonly fields: Partial<Readonly<Record<Maker, readonly string[]>>>;
}

const group = "eks.nodeGroups[0]";

/** Few of the fields, and those that nearly every cluster has; `--set` and a file have the others. */
const flags = {
  kubernetesVersion: {
    name: "--kubernetes-version",
    placeholder: "VERSION",
    description: "kind, clusterapi, eks: the Kubernetes version to run",
    fields: {
      kind: ["kind.kubernetesVersion"],
      clusterapi: ["clusterapi.topology.kubernetesVersion"],
      eks: ["eks.kubernetesVersion"],
    },
  },
  nodes: {
    name: "--nodes",
    placeholder: "COUNT",
    description: "kind, eks: how many nodes",
    fields: { kind: ["kind.nodes"], eks: [`${group}.minSize`, `${group}.maxSize`] },
  },
  nodeType: {
    name: "--node-type",
    placeholder: "TYPE",
    description: "eks: the type of the machines, such as m7g.large",
    fields: { eks: [`${group}.instanceType`] },
  },
  credential: {
    name: "--credential",
    placeholder: "NAME",
    description: "eks: the Credential to use; without it, the identity of the server",
    fields: { eks: ["eks.credential"] },
  },
  program: {
    name: "--program",
    placeholder: "NAME",
    description: "exec: the program, by the name that the settings of the server give it",
    fields: { exec: ["exec.command"] },
  },
  managementCluster: {
    name: "--management-cluster",
    placeholder: "NAME",
    description: "clusterapi: the cluster that runs Cluster API",
    fields: { clusterapi: ["clusterapi.managementCluster"] },
  },
  namespace: {
    name: "--namespace",
    placeholder: "NAMESPACE",
    description: "clusterapi: the namespace of its objects there; default, if left out",
    fields: { clusterapi: ["clusterapi.namespace"] },
  },
  class: {
    name: "--class",
    placeholder: "NAME",
    description: "clusterapi: the ClusterClass, with --kubernetes-version",
    fields: { clusterapi: ["clusterapi.topology.class"] },
  },
  template: {
    name: "--template",
    placeholder: "DEFINITION",
    description: "clusterapi: the WorkloadDefinition that has its objects, instead of a class",
    fields: { clusterapi: ["clusterapi.template.definition"] },
  },
} as const satisfies Readonly<Record<string, SpecFlag>>;

export type SpecFlags = Partial<Readonly<Record<keyof typeof flags, string>>> & {
  readonly region?: string;
  readonly arg?: readonly string[];
  readonly set?: readonly FieldValue[];
};

const collectText = (text: string, texts: readonly string[] = []): string[] => [...texts, text];

const collectField = (text: string, fields: readonly FieldValue[] = []): FieldValue[] => [
  ...fields,
  parseField(text),
];

export function addSpecFlags(command: Command): Command {
  command.option("--region <REGION>", "eks: where the cluster is made; for people, with other providers");
  for (const { name, placeholder, description } of Object.values<SpecFlag>(flags)) {
    command.option(`${name} <${placeholder}>`, description);
  }
  return command
    .addOption(
      new Option(
        "--arg <ARGUMENT>",
        "exec: an argument of the program, as in --arg=--size=3; again for more",
      ).argParser(collectText),
    )
    .addOption(
      new Option(
        "--set <FIELD=VALUE>",
        "Any other field of spec, such as maxNodes=3 or eks.nodeGroups[0].capacity=spot; again for more",
      ).argParser(collectField),
    );
}

/** The fields that flags stand for, in the order in which they are set. Throws `InvalidArgument`. */
export function fieldsOfFlags(
  provider: Maker,
  given: SpecFlags,
  { hasMachines }: { readonly hasMachines: boolean },
): readonly FieldValue[] {
  const texts: Readonly<Record<string, unknown>> = given;
  const stated = Object.entries<SpecFlag>(flags).flatMap(([key, flag]) => {
    const value = texts[key];
    return typeof value === "string" ? fieldsOfFlag(provider, flag, value) : [];
  });
  if (given.arg !== undefined && provider !== "exec") throw notOf(provider, "--arg");
  return [
    ...(given.region === undefined ? [] : [`region=${given.region}`]),
    ...(provider === "eks" && !hasMachines ? firstMachines(given) : []),
    ...stated,
    ...(given.arg ?? []).map((arg, index) => `exec.args[${index}]=${arg}`),
  ]
    .map(parseField)
    .concat(given.set ?? []);
}

function fieldsOfFlag(provider: Maker, { name, fields }: SpecFlag, value: string): string[] {
  const paths = fields[provider];
  if (paths === undefined) throw notOf(provider, name);
  return paths.map((path) => `${path}=${value}`);
}

/** As many machines as eksctl makes when nobody says how many; the plan tells what they cost. */
function firstMachines({ nodes, nodeType }: SpecFlags): string[] {
  if (nodes === undefined && nodeType === undefined) return [];
  return [`${group}.name=nodes`, `${group}.minSize=2`, `${group}.maxSize=2`];
}

function notOf(provider: Maker, flag: string): BowlineError {
  return new BowlineError(
    "InvalidArgument",
    `${flag} says nothing about a cluster of the provider ${provider}.`,
  );
}
