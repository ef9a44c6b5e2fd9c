import { hasCode, systemClock } from "@bowline/core";
import { resources, type KubeClient, type KubeObject, type ResourceRef } from "@bowline/kube";

/**
 * Definitions of the kinds of Cluster API that a provider meets, with as much of their schemas as it has to do with.
 * They are ours: names of fields are those of the contract, everything else is left to whoever writes an object.
 */
const group = "cluster.x-k8s.io";

const text = { type: "string" } as const;
const integer = { type: "integer" } as const;
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true } as const;

/** A list whose items are told apart by their names, so that an apply can take one away. */
function named(properties: object): object {
  return {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: { type: "object", required: ["name"], properties: { name: text, ...properties } },
  };
}

function topology(version: string): object {
  const byName =
    version === "v1beta1"
      ? { class: text }
      : { classRef: { type: "object", properties: { name: text, namespace: text } } };
  return {
    type: "object",
    required: ["version"],
    properties: {
      ...byName,
      version: { ...text, pattern: "^v[0-9]+\\.[0-9]+\\.[0-9]+$" },
      controlPlane: { type: "object", properties: { replicas: integer } },
      workers: {
        type: "object",
        properties: { machineDeployments: named({ class: text, replicas: integer }) },
      },
      variables: named({ value: { "x-kubernetes-preserve-unknown-fields": true } }),
    },
  };
}

function schema(spec: object): object {
  return { openAPIV3Schema: { type: "object", properties: { spec, status: anything } } };
}

interface Defined {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly versions: readonly { readonly name: string; readonly spec: object }[];
}

function definition({ group: inGroup, plural, kind, versions }: Defined): KubeObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${inGroup}` },
    spec: {
      group: inGroup,
      scope: "Namespaced",
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: versions.map(({ name, spec }, index) => ({
        name,
        served: true,
        storage: index === versions.length - 1,
        subresources: { status: {} },
        schema: schema(spec),
      })),
    },
  };
}

function clusterSpec(version: string): object {
  return {
    type: "object",
    properties: { paused: { type: "boolean" }, topology: topology(version), infrastructureRef: anything },
  };
}

/** What an infrastructure provider would bring: the network of a cluster. */
export const networkResource: ResourceRef = {
  group: "infrastructure.cluster.x-k8s.io",
  version: "v1beta1",
  plural: "samplenetworks",
  kind: "SampleNetwork",
  namespaced: true,
};

/** The definitions, with these versions of the contract; the last is the one that is stored. */
function definitions(versions: readonly string[]): readonly KubeObject[] {
  const clusters = versions.map((name) => ({ name, spec: clusterSpec(name) }));
  const classes = versions.map((name) => ({ name, spec: anything }));
  const { group: infrastructure, plural, kind, version } = networkResource;
  return [
    definition({ group, plural: "clusters", kind: "Cluster", versions: clusters }),
    definition({ group, plural: "clusterclasses", kind: "ClusterClass", versions: classes }),
    definition({ group: infrastructure, plural, kind, versions: [{ name: version, spec: anything }] }),
  ];
}

export function clustersOf(version: string): ResourceRef {
  return { group, version, plural: "clusters", kind: "Cluster", namespaced: true };
}

export function classesOf(version: string): ResourceRef {
  return { ...clustersOf(version), plural: "clusterclasses", kind: "ClusterClass" };
}

/** Installs the definitions, and resolves when their kinds are served. */
export async function installClusterApi(client: KubeClient, versions: readonly string[]): Promise<void> {
  for (const each of definitions(versions)) {
    await client.apply(resources.customResourceDefinitions, each, {
      fieldManager: "clusterctl",
      force: true,
    });
  }
  const served = [
    ...versions.flatMap((version) => [clustersOf(version), classesOf(version)]),
    networkResource,
  ];
  for (const resource of served) await isServed(client, resource);
}

/** An API server serves a kind some time after its definition was taken; only an answer tells. */
async function isServed(client: KubeClient, resource: ResourceRef): Promise<void> {
  for (;;) {
    try {
      await client.list(resource, { limit: 1 });
      return;
    } catch (error) {
      if (!hasCode(error, "NotFound")) throw error;
      await systemClock.sleep(20);
    }
  }
}

/** The class of the clusters of tests: its variables have types. */
export function sampleClass(version: string, namespace: string): KubeObject {
  const variable = (name: string, type: string): object => ({
    name,
    required: false,
    schema: { openAPIV3Schema: { type } },
  });
  return {
    apiVersion: `${group}/${version}`,
    kind: "ClusterClass",
    metadata: { name: "small", namespace },
    spec: {
      variables: [variable("zone", "string"), variable("disks", "integer"), variable("spot", "boolean")],
    },
  };
}
