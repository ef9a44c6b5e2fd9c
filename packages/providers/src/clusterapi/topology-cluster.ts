import type { ClusterApiSettings } from "@bowline/api";
import { asRecord } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import {
  findObject,
  stalled,
  type Contract,
  type ManagementCluster,
  type ObjectPlace,
} from "./management-cluster.ts";

type Topology = NonNullable<ClusterApiSettings["topology"]>;

interface TopologyOptions {
  readonly place: ObjectPlace;
  readonly topology: Topology;
  readonly signal: AbortSignal;
}

/** The Cluster of a ClusterClass, in the words of that version of the contract. */
export async function topologyCluster(
  management: ManagementCluster,
  { version, clusters, classes }: Contract,
  { place, topology, signal }: TopologyOptions,
): Promise<KubeObject> {
  const { namespace, name } = place;
  const clusterClass = await findObject(
    management,
    { resource: classes, namespace, name: topology.class },
    { signal },
  );
  if (clusterClass === undefined) {
    throw stalled(
      "ClassMissing",
      `There is no ClusterClass ${topology.class} in the namespace ${namespace} of the management cluster ${management.name}. Create it there, or name another one.`,
    );
  }
  const variables = typedVariables(topology, clusterClass);
  const { workers = [], controlPlaneReplicas } = topology;
  const machineDeployments = workers.map(({ class: machines, name: group, replicas }) => ({
    class: machines,
    name: group,
    replicas,
  }));
  return {
    apiVersion: `${clusters.group}/${version}`,
    kind: "Cluster",
    metadata: { namespace, name },
    spec: {
      topology: {
        ...(version === "v1beta1" ? { class: topology.class } : { classRef: { name: topology.class } }),
        version: wholeVersion(topology),
        controlPlane: { replicas: controlPlaneReplicas },
        ...(workers.length === 0 ? {} : { workers: { machineDeployments } }),
        ...(variables.length === 0 ? {} : { variables }),
      },
    },
  };
}

/** Cluster API takes no version without its third number. */
function wholeVersion({ kubernetesVersion }: Topology): string {
  if (kubernetesVersion.split(".").length === 3) return `v${kubernetesVersion}`;
  throw stalled(
    "VersionNotOffered",
    `Cluster API needs the whole version of Kubernetes, such as ${kubernetesVersion}.0; spec.clusterapi.topology.kubernetesVersion is ${kubernetesVersion}.`,
  );
}

interface Variable {
  readonly name: string;
  readonly value: unknown;
}

/**
 * Variables are text in Bowline, and have types in the ClusterClass. A text is never guessed at: `1.30` would become a
 * number without its zero.
 */
function typedVariables({ variables = {} }: Topology, clusterClass: KubeObject): Variable[] {
  const types = variableTypes(clusterClass);
  return Object.entries(variables)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => ({ name, value: valueOf(name, text, types.get(name)) }));
}

/** As they are declared in the class itself, or by its extensions, which say so in its status. */
function variableTypes({ spec, status }: KubeObject): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const variable of listOf(asRecord(status)["variables"])) {
    for (const definition of listOf(variable["definitions"])) addType(types, variable["name"], definition);
  }
  for (const variable of listOf(asRecord(spec)["variables"])) addType(types, variable["name"], variable);
  return types;
}

function addType(
  types: Map<string, string>,
  name: unknown,
  declared: Readonly<Record<string, unknown>>,
): void {
  const { type } = asRecord(asRecord(declared["schema"])["openAPIV3Schema"]);
  if (typeof name === "string" && typeof type === "string") types.set(name, type);
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}

/** What the class does not declare goes as text, and Cluster API says what it thinks of it. */
function valueOf(name: string, text: string, type: string | undefined): unknown {
  if (type === undefined || type === "string") return text;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw stalled(
      "VariableInvalid",
      `The variable ${name} is of the type ${type} in its ClusterClass; write its value as JSON.`,
    );
  }
}
