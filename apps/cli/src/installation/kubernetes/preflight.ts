import { BowlineError, isRecord } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import type { PhaseContext } from "../target.ts";
import { idLabel, nameLabel, type DesiredInstallation } from "./desired-objects.ts";
import { describe, unlessMissing, type KubeCluster, type ObjectPlace } from "./kube-cluster.ts";
import type { KubernetesOptions } from "./kubernetes-options.ts";
import { missingRights } from "./rights.ts";

const oldestMinor = 20;

interface PreflightOptions {
  readonly cluster: KubeCluster;
  readonly options: KubernetesOptions;
  readonly desired: DesiredInstallation;
  /** What runs the agent, where the cluster is to be registered. */
  readonly agentObjects: readonly KubeObject[];
  readonly context: PhaseContext;
}

/** `1.36`; rejects for one that is too old. */
export async function requireVersion({ discovery }: KubeCluster): Promise<string> {
  const { major, minor, gitVersion } = await discovery.serverVersion();
  if (major > 1 || minor >= oldestMinor) return `${major}.${minor}`;
  throw new BowlineError(
    "InvalidArgument",
    `The cluster runs Kubernetes ${gitVersion}; Bowline needs 1.${oldestMinor} or newer.`,
  );
}

/** Everything that would go wrong later, before anything is made. */
export async function preflight(preflightOptions: PreflightOptions): Promise<void> {
  const { cluster, options, desired, agentObjects } = preflightOptions;
  const namespace: ObjectPlace = await cluster.placeOf(desired.namespace, options.namespace);
  const places: ObjectPlace[] = [];
  for (const object of [...desired.objects, ...agentObjects]) {
    places.push(await cluster.placeOf(object, options.namespace));
  }
  await requireRights(preflightOptions, [namespace, ...places]);
  await requireSameDatabase(preflightOptions);
  await requireStorage(preflightOptions);
  await requireIngressClass(preflightOptions);
  await requireOwn(preflightOptions, places);
}

async function requireRights(
  { cluster, options, desired, context }: PreflightOptions,
  places: readonly ObjectPlace[],
): Promise<void> {
  const [namespace, ...others] = places;
  const isThere = namespace !== undefined && (await canSee(cluster, namespace, context.signal));
  const made = isThere || namespace === undefined ? others : [namespace, ...others];
  const claims = desired.usesSqlite;
  const missing = await missingRights(
    cluster,
    { namespace: options.namespace, places: made, claims },
    context.signal,
  );
  if (missing.length === 0) return;
  const user =
    cluster.connection.user === undefined ? "You may not" : `The user "${cluster.connection.user}" may not`;
  throw new BowlineError(
    "Forbidden",
    `${user} do everything that is needed: ${missing.join("; ")}. Nothing was made; get these rights, or use another --kube-context.`,
    { details: { missing } },
  );
}

async function canSee(cluster: KubeCluster, place: ObjectPlace, signal: AbortSignal): Promise<boolean> {
  try {
    return (await cluster.find(place, signal)) !== undefined;
  } catch (error) {
    // Whoever may not look may still work in it.
    if (error instanceof BowlineError && error.code === "Forbidden") return true;
    throw error;
  }
}

/** Servers on another database would begin with nothing, behind the same address as those that have the data. */
export async function requireSameDatabase({
  cluster,
  options: { name, namespace },
  desired,
  context: { ledger, signal },
}: Omit<PreflightOptions, "agentObjects">): Promise<void> {
  const { resources } = await import("@bowline/kube");
  const resource = desired.usesSqlite ? resources.deployments : resources.statefulSets;
  const found = await cluster.find({ resource, namespace, name }, signal);
  if (found === undefined || labelOf(found, idLabel) !== ledger.state.installation) return;
  const [from, to] = desired.usesSqlite ? ["a PostgreSQL", "SQLite"] : ["SQLite", "a PostgreSQL"];
  throw new BowlineError(
    "InvalidArgument",
    `"${name}" runs on ${from}, and on ${to} it would begin without its data. Begin anew with \`bowline down ${name} --delete-data\`, or bring the data along: docs/guides/back-up-and-restore.md says how.`,
  );
}

/** SQLite needs a volume: that of an earlier time, one that waits for it, or a class that makes one. */
async function requireStorage({ cluster, options, desired, context }: PreflightOptions): Promise<void> {
  if (!desired.usesSqlite) return;
  const { resources } = await import("@bowline/kube");
  const { signal } = context;
  const claim = { namespace: options.namespace, name: `data-${options.name}-0`, signal };
  if ((await unlessMissing(cluster.client.get(resources.persistentVolumeClaims, claim))) !== undefined)
    return;
  const { items } = await cluster.client.list(resources.storageClasses, { signal });
  const wanted = desired.storageClass;
  if (wanted === undefined) {
    if (items.some(isDefaultClass)) return;
    const there = items.length === 0 ? "it has none at all" : `there are ${namesOf(items)}`;
    throw new BowlineError(
      "InvalidArgument",
      `The cluster has no default storage class for the volume of SQLite; ${there}. Name one with --set database.sqlite.storageClassName=NAME, or use a PostgreSQL.`,
    );
  }
  if (items.some(({ metadata }) => metadata.name === wanted)) return;
  // A volume that somebody made by hand has a class that need not exist.
  const volumes = await cluster.client
    .list(resources.persistentVolumes, { signal })
    .then(({ items: found }) => found)
    .catch(() => []);
  if (volumes.some(({ spec }) => isRecord(spec) && spec["storageClassName"] === wanted)) return;
  throw new BowlineError(
    "InvalidArgument",
    `The cluster has no storage class "${wanted}", and no volume of it; there are ${namesOf(items) || "none"}.`,
  );
}

function isDefaultClass({ metadata }: KubeObject): boolean {
  const { annotations = {} } = metadata;
  return [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
  ].some((key) => annotations[key] === "true");
}

async function requireIngressClass({ cluster, desired, context }: PreflightOptions): Promise<void> {
  if (desired.ingressClass === undefined) return;
  const { resources } = await import("@bowline/kube");
  const { items } = await cluster.client.list(resources.ingressClasses, { signal: context.signal });
  if (items.some(({ metadata }) => metadata.name === desired.ingressClass)) return;
  throw new BowlineError(
    "InvalidArgument",
    `The cluster has no ingress class "${desired.ingressClass}"; there are ${namesOf(items) || "none"}.`,
  );
}

/** Names that somebody else has: they are never taken over, nor changed. */
async function requireOwn(
  { cluster, options, desired, context }: PreflightOptions,
  places: readonly ObjectPlace[],
): Promise<void> {
  const { installation } = context.ledger.state;
  const { resources } = await import("@bowline/kube");
  const foreign: string[] = [];
  for (const place of places) {
    // All agents of a cluster share the definition; whoever was first has it.
    if (place.resource.kind === "CustomResourceDefinition") continue;
    const found = await cluster.find(place, context.signal);
    if (found !== undefined && labelOf(found, idLabel) !== installation) foreign.push(describe(place));
  }
  for (const { name } of desired.secrets) {
    const place = { resource: resources.secrets, namespace: options.namespace, name };
    const found = await cluster.find(place, context.signal);
    // A `down` that kept the data left them for the next `up` of this name.
    if (found !== undefined && labelOf(found, nameLabel) !== options.name) foreign.push(describe(place));
  }
  if (foreign.length === 0) return;
  throw new BowlineError(
    "AlreadyExists",
    `These are there already, and not of this installation: ${foreign.join(", ")}. Nothing was changed; choose another --name or --namespace${foreign.some((name) => name.includes("bowline-agent")) ? ", or --no-register where the cluster has joined a Bowline already" : ""}.`,
    { details: { foreign } },
  );
}

export function labelOf({ metadata }: KubeObject, label: string): string | undefined {
  return metadata.labels?.[label];
}

function namesOf(objects: readonly KubeObject[]): string {
  return objects.map(({ metadata }) => metadata.name ?? "").join(", ");
}
