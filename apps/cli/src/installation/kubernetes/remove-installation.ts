import { agentNames } from "@bowline/api/agent-manifest";
import { BowlineError, isRecord } from "@bowline/core";
import type { KubeObject, ResourceRef } from "@bowline/kube";

import type { PhaseContext, Removal, RemoveOptions } from "../target.ts";
import { idLabel, nameLabel, secretNamedBy } from "./desired-objects.ts";
import { describe, resourceName, unlessMissing, type KubeCluster, type ObjectPlace } from "./kube-cluster.ts";
import type { KubernetesOptions } from "./kubernetes-options.ts";

/** Every kind that an installation can have objects of: what runs goes first, what it stands on last. */
const kinds: readonly (readonly [group: string, kind: string])[] = [
  ["apps", "StatefulSet"],
  ["apps", "Deployment"],
  ["monitoring.coreos.com", "ServiceMonitor"],
  ["cert-manager.io", "Certificate"],
  ["gateway.networking.k8s.io", "TLSRoute"],
  ["networking.k8s.io", "Ingress"],
  ["networking.k8s.io", "NetworkPolicy"],
  ["policy", "PodDisruptionBudget"],
  ["", "Service"],
  ["coordination.k8s.io", "Lease"],
  ["rbac.authorization.k8s.io", "RoleBinding"],
  ["rbac.authorization.k8s.io", "Role"],
  ["", "ServiceAccount"],
  ["", "Secret"],
  ["rbac.authorization.k8s.io", "ClusterRoleBinding"],
  ["rbac.authorization.k8s.io", "ClusterRole"],
  ["apiextensions.k8s.io", "CustomResourceDefinition"],
];

const hint = "(--delete-data takes it away)";
const goneLimitMs = 180_000;
const lookAgainMs = 250;

/** Deletes whatever carries the mark of the installation, and returns when it was seen to be gone. */
export async function removeInstallation(
  cluster: KubeCluster,
  options: KubernetesOptions,
  context: PhaseContext,
  { deleteData }: RemoveOptions,
): Promise<Removal> {
  const { installation } = context.ledger.state;
  // Where the notes are lost, the name is all there is.
  const selector = installation === "" ? `${nameLabel}=${options.name}` : `${idLabel}=${installation}`;
  const kept: string[] = [];
  for (const [group, kind] of kinds) {
    const resource = await cluster.discovery.findKind({ group, kind });
    if (resource === undefined) continue;
    const search = { namespace: options.namespace, labelSelector: selector, signal: context.signal };
    const data = kind === "Secret" ? await dataSecrets(cluster, resource, options, search) : [];
    const others = await marked(cluster, resource, search);
    const found = [...others.filter(({ name }) => data.every((each) => each.name !== name)), ...data];
    const agent = kind === "CustomResourceDefinition" ? await otherAgent(cluster, search) : undefined;
    if (agent !== undefined) {
      kept.push(...found.map((place) => `${describe(place)}, which another agent needs: ${describe(agent)}`));
      continue;
    }
    const going = deleteData ? found : found.filter((place) => !data.includes(place));
    if (!deleteData)
      kept.push(...data.map((place) => `${describe(place)}, without which the data cannot be used ${hint}`));
    await deleteAll(cluster, going, context);
  }
  await untilPodsGone(cluster, options, context);
  const claims = await claimsOf(cluster, options, context.signal);
  if (deleteData) await deleteAll(cluster, claims, context);
  else kept.push(...claims.map((place) => `${describe(place)}, with all data ${hint}`));
  kept.push(...keptDatabase(options, deleteData));
  kept.push(...(await removeNamespace(cluster, options, context)));
  await forgetWhatIsGone(context, kept);
  return { kept, unchecked: [] };
}

interface Search {
  readonly namespace: string;
  readonly labelSelector: string;
  readonly signal: AbortSignal;
}

async function marked(
  { client }: KubeCluster,
  resource: ResourceRef,
  { namespace, labelSelector, signal }: Search,
): Promise<ObjectPlace[]> {
  const where = resource.namespaced ? { namespace } : {};
  const { items } = await client.listMetadata(resource, { ...where, labelSelector, signal });
  return items.map(({ metadata }) => ({ resource, ...where, name: metadata.name ?? "" }));
}

/**
 * The role of an agent that is left when those of the installation have gone: the Workloads of its server go with their
 * definition, whoever brought that.
 */
async function otherAgent(cluster: KubeCluster, search: Search): Promise<ObjectPlace | undefined> {
  const { resources } = await import("@bowline/kube");
  const labelSelector = `app.kubernetes.io/name=${agentNames.agent}`;
  const [first] = await marked(cluster, resources.clusterRoles, { ...search, labelSelector });
  return first;
}

/** They may have the mark of an earlier time: an installation goes on with those that carry its name. */
async function dataSecrets(
  cluster: KubeCluster,
  secrets: ResourceRef,
  { name }: KubernetesOptions,
  search: Search,
): Promise<ObjectPlace[]> {
  const found = await marked(cluster, secrets, { ...search, labelSelector: `${nameLabel}=${name}` });
  return found.filter((place) => place.name === `${name}-admin` || place.name === `${name}-encryption`);
}

/** A PostgreSQL is somebody else's, and nothing in it is touched: the next servers would find what is there. */
function keptDatabase({ namespace, values }: KubernetesOptions, deletesOwn: boolean): string[] {
  const { database, encryption } = values;
  const secret = isRecord(database) ? secretNamedBy(database["postgres"]) : undefined;
  if (secret === undefined) return [];
  const isKeyless = deletesOwn && secretNamedBy(encryption) === undefined;
  const rest = isKeyless ? ", without its encryption keys: empty it before another `up`" : ", with all data";
  return [`the PostgreSQL database that Secret ${namespace}/${secret} names${rest}`];
}

/** The StatefulSet makes them, and they outlive it. */
async function claimsOf(
  cluster: KubeCluster,
  { name, namespace }: KubernetesOptions,
  signal: AbortSignal,
): Promise<ObjectPlace[]> {
  const { resources } = await import("@bowline/kube");
  const labelSelector = `app.kubernetes.io/name=bowline,app.kubernetes.io/instance=${name}`;
  const search = { namespace, labelSelector, signal };
  const claims = await marked(cluster, resources.persistentVolumeClaims, search);
  return claims.filter((place) => place.name.startsWith(`data-${name}-`));
}

async function deleteAll(
  cluster: KubeCluster,
  places: readonly ObjectPlace[],
  context: PhaseContext,
): Promise<void> {
  for (const place of places) await cluster.delete(context, place);
  for (const place of places) {
    await untilGone(context, `${describe(place)} is being deleted`, async () => {
      const found = await cluster.find(place, context.signal);
      return found === undefined;
    });
    await context.ledger.gone(resourceName(place));
  }
}

async function untilPodsGone(
  { client }: KubeCluster,
  { name, namespace }: KubernetesOptions,
  context: PhaseContext,
): Promise<void> {
  const { resources } = await import("@bowline/kube");
  const labelSelector = `app.kubernetes.io/name=bowline,app.kubernetes.io/instance=${name}`;
  await untilGone(context, "pods end", async () => {
    const { items } = await client.listMetadata(resources.pods, {
      namespace,
      labelSelector,
      signal: context.signal,
    });
    return items.length === 0;
  });
}

async function untilGone(
  { clock, signal, progress }: PhaseContext,
  subject: string,
  isGone: () => Promise<boolean>,
): Promise<void> {
  const endMs = clock.monotonicMs() + goneLimitMs;
  while (!(await isGone())) {
    progress(subject);
    if (clock.monotonicMs() > endMs) {
      const message = `It is not gone after ${goneLimitMs / 60_000} minutes: ${subject}. Look for its finalizers with kubectl, then run this again.`;
      throw new BowlineError("Timeout", message);
    }
    await clock.sleep(lookAgainMs, signal);
  }
}

/** Only one that an `up` of this name made, and only while nothing of anybody is in it. */
async function removeNamespace(
  cluster: KubeCluster,
  { namespace, name }: KubernetesOptions,
  context: PhaseContext,
): Promise<string[]> {
  const { resources } = await import("@bowline/kube");
  const place = { resource: resources.namespaces, name: namespace };
  const made = await unlessMissing(
    cluster.client.getMetadata(resources.namespaces, { name: namespace, signal: context.signal }),
  );
  if (made === undefined || made.metadata.labels?.[nameLabel] !== name) return [];
  const found = await inhabitants(cluster, namespace, context.signal).catch((thrown: unknown) => {
    context.signal.throwIfAborted();
    return BowlineError.from(thrown);
  });
  // Rights that `up` asks for do not include those to every kind; and somebody's own API may be away.
  if (found instanceof BowlineError) {
    return [`Namespace ${namespace}, as nobody could look whether more is in it: ${found.message}`];
  }
  const [first, ...others] = found;
  if (first !== undefined) {
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    return [`Namespace ${namespace}, as more is in it: ${first}${more}`];
  }
  await deleteAll(cluster, [place], context);
  return [];
}

/** Kubernetes puts these into each namespace by itself, or they tell of the past. */
const usualKinds = new Set(["Event", "Endpoints", "EndpointSlice", "ControllerRevision", "PodMetrics"]);
const usualNames = new Set(["ServiceAccount default", "ConfigMap kube-root-ca.crt"]);

async function inhabitants(cluster: KubeCluster, namespace: string, signal: AbortSignal): Promise<string[]> {
  const { resources } = await cluster.discovery.apis();
  const listed = new Map(
    resources
      .filter(({ namespaced, verbs, kind }) => namespaced && verbs.includes("list") && !usualKinds.has(kind))
      .map((resource) => [`${resource.group}/${resource.plural}`, resource]),
  );
  const found: string[] = [];
  for (const resource of listed.values()) {
    const { items } = await cluster.client.listMetadata(resource, { namespace, signal });
    const names = items
      .filter((item) => !isTokenOfDefault(item))
      .map(({ metadata }) => `${resource.kind} ${metadata.name}`);
    found.push(...names.filter((name) => !usualNames.has(name)));
  }
  return found;
}

/** Kubernetes before 1.24 makes one in each namespace. */
function isTokenOfDefault({ metadata }: KubeObject): boolean {
  return metadata.annotations?.["kubernetes.io/service-account.name"] === "default";
}

/** Of what was only intended, nothing may ever have been there: the sweep has seen that it is not. */
async function forgetWhatIsGone({ ledger }: PhaseContext, kept: readonly string[]): Promise<void> {
  for (const { type, id } of ledger.existing()) {
    if (type === "context" || kept.some((line) => line.startsWith(`${type} ${id}`))) continue;
    await ledger.gone({ type, id });
  }
}
