import { BowlineError, hasCode } from "@bowline/core";
import type { Discovery, KubeClient, KubeObject, ResourceRef } from "@bowline/kube";

import type { WantedCluster } from "../provider.ts";

/** A way into a management cluster as somebody. It is closed by whoever opened it. */
export interface ManagementCluster extends AsyncDisposable {
  /** Its name, as Bowline knows it. */
  readonly name: string;
  readonly client: KubeClient;
  readonly discovery: Discovery;
}

export interface TemplateRequest {
  /** The cluster that is to be made; its name, region and labels are facts that a template may refer to. */
  readonly cluster: WantedCluster;
  /** Name of the WorkloadDefinition. */
  readonly definition: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** What the provider cannot do by itself. */
export interface ClusterApiAccess {
  /** As the person in whose name that cluster is made, or taken away. */
  open(managementCluster: string, cluster: WantedCluster): Promise<ManagementCluster>;
  /** The objects of a definition, with its parameters filled in, in the order in which they are to be made. */
  render(request: TemplateRequest): Promise<readonly KubeObject[]>;
}

export const clusterApiGroup = "cluster.x-k8s.io";

/** The versions of Cluster API's contract that are understood, the preferred one first. */
const knownVersions = ["v1beta2", "v1beta1"] as const;
type ContractVersion = (typeof knownVersions)[number];

/** What of Cluster API a management cluster has. */
export interface Contract {
  readonly version: ContractVersion;
  readonly clusters: ResourceRef;
  readonly classes: ResourceRef;
}

/** The newest version of the contract that both sides know; it is the cluster that says which ones it has. */
export async function readContract({ name, discovery }: ManagementCluster): Promise<Contract> {
  // A miss is looked up again by this question; asking for each version would be a miss every time.
  const any = await discovery.findKind({ group: clusterApiGroup, kind: "Cluster" });
  if (any === undefined) {
    throw stalled(
      "ClusterApiMissing",
      `The management cluster ${name} has no Clusters of Cluster API (${clusterApiGroup}). Install Cluster API in it, or name another management cluster.`,
    );
  }
  const { resources } = await discovery.apis();
  const served = resources.filter(({ group, kind }) => group === clusterApiGroup && kind === "Cluster");
  for (const version of knownVersions) {
    const clusters = served.find((resource) => resource.version === version);
    if (clusters !== undefined) {
      return { version, clusters, classes: { ...clusters, plural: "clusterclasses", kind: "ClusterClass" } };
    }
  }
  // Whoever mends it upgrades Cluster API, and what is remembered would hide that.
  discovery.invalidate();
  const versions = [...new Set(served.map(({ version }) => version))].join(", ");
  throw stalled(
    "ContractUnknown",
    `Cluster API in the management cluster ${name} has the versions ${versions} of its contract; this version of Bowline knows ${knownVersions.join(" and ")}. Upgrade whichever of the two is older.`,
  );
}

/** An object by its place. */
export interface ObjectPlace {
  readonly resource: ResourceRef;
  /** Empty for what is in none. */
  readonly namespace: string;
  readonly name: string;
}

interface FindOptions {
  readonly signal: AbortSignal;
  /** Everything but spec, status and data, which is all that is needed of a Secret. */
  readonly metadataOnly?: boolean;
}

/**
 * Undefined for an object that is not there. A server that does not serve the kind (any more) answers 404 as well, and
 * that says nothing about the object.
 */
export async function findObject(
  { client, discovery, name: cluster }: ManagementCluster,
  place: ObjectPlace,
  { signal, metadataOnly = false }: FindOptions,
): Promise<KubeObject | undefined> {
  const options = { ...targetOf(place), signal };
  try {
    return await (metadataOnly
      ? client.getMetadata(place.resource, options)
      : client.get(place.resource, options));
  } catch (error) {
    if (!(error instanceof BowlineError) || !hasCode(error, "NotFound")) throw error;
    if (error.details?.["name"] === place.name) return undefined;
    discovery.invalidate();
    const { kind, group, version } = place.resource;
    throw new BowlineError(
      "ReconcileWaiting",
      `The management cluster ${cluster} does not serve the kind ${kind} of ${group}/${version} at the moment.`,
      { cause: error },
    );
  }
}

export function targetOf({ resource, namespace, name }: ObjectPlace): {
  readonly name: string;
  readonly namespace?: string;
} {
  return resource.namespaced ? { namespace, name } : { name };
}

/** A state of affairs that a person has to change, with its word for programs. */
export function stalled(reason: string, message: string): BowlineError {
  return new BowlineError("ReconcileStalled", message, { details: { reason } });
}
