import { Cluster, WorkloadDefinition } from "@bowline/api";
import type { Identity } from "@bowline/auth";
import { BowlineError } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";
import {
  chooseParameters,
  describeProblem,
  fillParameters,
  objectKey,
  objectLabel,
  stageOf,
  type ManifestObject,
} from "@bowline/manifests";
import type { ClusterApiAccess, ManagementCluster, TemplateRequest, WantedCluster } from "@bowline/providers";
import type { Store } from "@bowline/store";

import type { ClusterClients } from "../workloads/cluster-clients.ts";
import { clusterKey } from "../workloads/engine-in-cluster.ts";
import { resolutionProblem } from "../workloads/resolve-workload.ts";
import { RevisionContents } from "../workloads/revision-contents.ts";

export interface ClusterApiParts {
  readonly store: Pick<Store, "objects" | "revisions">;
  readonly clients: ClusterClients;
}

/**
 * What the provider `clusterapi` works with in a server: management clusters are reached through their tunnels, and the
 * objects of a template are those of a WorkloadDefinition's revision.
 */
export function clusterApiAccess({ store, clients }: ClusterApiParts): ClusterApiAccess {
  const contents = new RevisionContents(store.revisions);
  return {
    open: (managementCluster, wanted) => open({ store, clients }, managementCluster, wanted),
    render: (request) => render(store, contents, request),
  };
}

/**
 * As the person who wrote the Cluster or, where it is being deleted, as the one who deleted it: nobody is to use the rights
 * of its author by deleting what is not theirs. With nobody's grants nothing is sent.
 */
async function open(
  { store, clients }: ClusterApiParts,
  managementCluster: string,
  wanted: WantedCluster,
): Promise<ManagementCluster> {
  const { metadata, status } = await clusterOf(store, wanted);
  const isGoing = metadata.deletedAt !== undefined;
  const management = await store.objects.get(Cluster, managementCluster);
  if (management === undefined || management.metadata.id === metadata.id) {
    // What was made in one is deleted there and nowhere else.
    const advice = isGoing
      ? "add it again under this name or, to give up what is in it, set spec.deletionPolicy to orphan"
      : "add it, or name another one in spec.clusterapi.managementCluster";
    throw stalled(
      "ManagementClusterMissing",
      `There is no other Cluster ${managementCluster} that could run Cluster API; ${advice}.`,
    );
  }
  const person = (isGoing ? status.deletedBy : undefined) ?? status.author;
  const identity = await identityOf(clients, metadata, person);
  const client = clients.actingAs(identity, managementCluster);
  return {
    name: managementCluster,
    client,
    discovery: clients.discovery(managementCluster, clusterKey(management)),
    [Symbol.asyncDispose]: () => client.transport.close(),
  };
}

async function clusterOf(store: Pick<Store, "objects">, { id, name }: WantedCluster): Promise<Cluster> {
  const cluster = await store.objects.get(Cluster, name);
  if (cluster !== undefined && cluster.metadata.id === id) return cluster;
  throw new BowlineError("Cancelled", `The Cluster ${name} is not there any more.`);
}

async function identityOf(
  clients: ClusterClients,
  { name: cluster, deletedAt }: Cluster["metadata"],
  person: Cluster["status"]["author"],
): Promise<Identity> {
  const act = deletedAt === undefined ? "write" : "delete";
  if (person === undefined) {
    const message = `Nobody is known to have written the Cluster ${cluster}, so nobody's rights can be used in the management cluster; ${act} it again.`;
    throw new BowlineError("NotGranted", message);
  }
  const { user, method, groups } = person;
  const identity = await clients.identityOf({ user, method, groups });
  if (identity !== undefined) return identity;
  const done = deletedAt === undefined ? "made" : "deleted";
  const message = `The user ${user}, in whose name the Cluster ${cluster} is ${done}, is not there any more, or disabled; let somebody else ${act} it.`;
  throw new BowlineError("NotGranted", message);
}

async function render(
  store: Pick<Store, "objects">,
  contents: RevisionContents,
  { cluster, definition: name, parameters }: TemplateRequest,
): Promise<readonly KubeObject[]> {
  const { status } = await clusterOf(store, cluster);
  const definition = await store.objects.get(WorkloadDefinition, name);
  if (definition === undefined) {
    const message = `There is no WorkloadDefinition ${name}; create it, or name another one.`;
    throw stalled("DefinitionNotFound", message);
  }
  const problem = resolutionProblem(definition);
  const { revision } = definition.status;
  if (problem !== undefined || revision === undefined) {
    const { reason, message } = problem ?? { reason: "Resolving", message: `${name} is being resolved.` };
    throw stalled(reason, message);
  }
  requireAgreement(definition, status.author?.user);
  const content = await contents.read(revision.id);
  const { values, problems } = chooseParameters(content.parameters, parameters);
  if (problems.length > 0) throw stalled("InvalidParameters", problems.join(" "));
  const facts = { name: cluster.name, region: cluster.spec.region, labels: cluster.labels };
  const filled = fillParameters(content.objects, { parameters: values, cluster: facts });
  const [refused] = filled.refused;
  if (refused !== undefined) {
    const told = refused.problems.map(describeProblem).join("; ");
    throw stalled("RenderFailed", `${objectLabel(refused.object)}: ${told}.`);
  }
  return filled.objects.toSorted((a, b) => stageOf(objectKey(a)) - stageOf(objectKey(b))).map(kubeObject);
}

/** What runs with somebody's rights is written by themselves or by an admin, as with instances. */
function requireAgreement({ metadata, status }: WorkloadDefinition, user: string | undefined): void {
  const { author } = status;
  if (author !== undefined && (author.user === user || author.role === "admin")) return;
  throw stalled(
    "WaitingForApproval",
    `The WorkloadDefinition ${metadata.name} was written by ${author?.user ?? "somebody"}, and would act in the management cluster as ${user ?? "somebody else"}. Let ${author?.user ?? "its author"} write the Cluster, or an admin the definition.`,
  );
}

function kubeObject(object: ManifestObject): KubeObject {
  return { ...object, metadata: object.metadata };
}

function stalled(reason: string, message: string): BowlineError {
  return new BowlineError("ReconcileStalled", message, { details: { reason } });
}
