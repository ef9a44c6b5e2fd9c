import type { ClusterApiSettings } from "@bowline/api";
import type { KubeObject } from "@bowline/kube";

import type { ProviderWork, WantedCluster } from "../provider.ts";
import {
  clusterApiGroup,
  readContract,
  stalled,
  type ClusterApiAccess,
  type ManagementCluster,
  type ObjectPlace,
} from "./management-cluster.ts";
import { shownPlace, stepOf } from "./object-record.ts";
import { topologyCluster } from "./topology-cluster.ts";

/** An object as it should be in the management cluster. */
export interface WantedObject {
  readonly step: string;
  readonly place: ObjectPlace;
  readonly object: KubeObject;
}

/** All of them in the order in which they are made: the Cluster last, so that it never stands with half of its parts. */
export interface WantedObjects {
  readonly parts: readonly WantedObject[];
  readonly cluster: WantedObject;
}

/** More than any template of a cluster has; each is asked for in every round. */
const maxParts = 200;

export function settingsOf({ name, spec }: WantedCluster): ClusterApiSettings {
  if (spec.clusterapi !== undefined) return spec.clusterapi;
  throw stalled("SettingsMissing", `The Cluster ${name} has no spec.clusterapi.`);
}

export async function wantedObjects(
  access: ClusterApiAccess,
  management: ManagementCluster,
  { cluster, signal }: Pick<ProviderWork, "cluster" | "signal">,
): Promise<WantedObjects> {
  const { namespace, topology } = settingsOf(cluster);
  const contract = await readContract(management);
  if (topology !== undefined) {
    const place = { resource: contract.clusters, namespace, name: cluster.name };
    const object = await topologyCluster(management, contract, { place, topology, signal });
    return { parts: [], cluster: { step: stepOf(place), place, object } };
  }
  const rendered = await renderedTemplate(access, cluster);
  const placed: WantedObject[] = [];
  for (const object of rendered) placed.push(await placedObject(management, object, namespace));
  requireDifferent(placed);
  const only = theCluster(rendered);
  const parts = placed.filter((_, index) => rendered[index] !== only);
  const made = placed.find((_, index) => rendered[index] === only);
  if (made === undefined) throw noCluster(0);
  return { parts, cluster: made };
}

/** The objects of the template, one of which is the Cluster; without a look at the management cluster. */
export async function renderedTemplate(
  access: ClusterApiAccess,
  cluster: WantedCluster,
): Promise<readonly KubeObject[]> {
  const { template } = settingsOf(cluster);
  if (template === undefined) {
    throw stalled("SettingsMissing", "spec.clusterapi has neither a template nor a topology.");
  }
  const { definition, parameters } = template;
  const objects = await access.render({ cluster, definition, parameters });
  theCluster(objects);
  if (objects.length > maxParts) {
    throw stalled(
      "TooLarge",
      `The WorkloadDefinition ${definition} renders ${objects.length} objects; ${maxParts} are the most for one cluster.`,
    );
  }
  return objects;
}

function theCluster(objects: readonly KubeObject[]): KubeObject {
  const clusters = objects.filter(
    ({ apiVersion, kind }) => kind === "Cluster" && apiVersion.startsWith(`${clusterApiGroup}/`),
  );
  const [only] = clusters;
  if (only === undefined || clusters.length > 1) throw noCluster(clusters.length);
  return only;
}

function noCluster(count: number): Error {
  return stalled(
    "TemplateInvalid",
    `The template renders ${count} objects of the kind Cluster of ${clusterApiGroup}; it has to be exactly one.`,
  );
}

async function placedObject(
  { name: cluster, discovery }: ManagementCluster,
  object: KubeObject,
  defaultNamespace: string,
): Promise<WantedObject> {
  const { apiVersion, kind, metadata } = object;
  const slash = apiVersion.indexOf("/");
  const group = apiVersion.slice(0, Math.max(0, slash));
  const resource = await discovery.findKind({ group, kind, version: apiVersion.slice(slash + 1) });
  if (resource === undefined) {
    throw stalled(
      "KindUnknown",
      `The management cluster ${cluster} does not know the kind ${kind} of ${apiVersion}, which the template has. Install the provider of Cluster API that brings it, or change the template.`,
    );
  }
  const { name = "", namespace: own = "" } = metadata;
  const { group: inGroup, version, plural, namespaced } = resource;
  const namespace = namespaced ? own || defaultNamespace : "";
  const place = { resource: { group: inGroup, version, plural, kind, namespaced }, namespace, name };
  const { namespace: _, ...rest } = metadata;
  const placed = { ...object, metadata: { ...rest, ...(namespaced ? { namespace } : {}) } };
  return { step: stepOf(place), place, object: placed };
}

/** The same object twice would be written over and over. */
function requireDifferent(objects: readonly WantedObject[]): void {
  const seen = new Set<string>();
  for (const { step, place } of objects) {
    if (seen.has(step)) throw stalled("TemplateInvalid", `The template has ${shownPlace(place)} twice.`);
    seen.add(step);
  }
}
