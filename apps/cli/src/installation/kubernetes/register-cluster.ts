import { Cluster } from "@bowline/api";
import { agentManifest } from "@bowline/api/agent-manifest";
import type { Client } from "@bowline/client";
import { BowlineError } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import { ensureCluster } from "../ensure-cluster.ts";
import type { PhaseContext } from "../target.ts";
import { idLabel } from "./desired-objects.ts";
import type { KubeCluster } from "./kube-cluster.ts";
import { labelOf } from "./preflight.ts";
import { untilHealthy } from "./wait-for-workload.ts";

export interface AgentPlace {
  /** What the fleet calls the cluster. */
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  /** Names of Secrets that it is pulled with. */
  readonly pullSecrets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

const agentName = "bowline-agent";
const joinSecretName = "bowline-agent-join";
const connectedLimitMs = 120_000;
const lookAgainMs = 250;

/** What runs the agent, with the mark of the installation, and without the namespace that is there. */
export function agentObjects(place: AgentPlace, joinToken = ""): KubeObject[] {
  const { name, namespace, image, pullSecrets, labels } = place;
  return agentManifest({ cluster: name, namespace, image, joinToken, rights: "workloads" })
    .map(({ object }) => object)
    .filter(({ kind }) => kind !== "Namespace")
    .map((object): KubeObject => {
      const { metadata, ...rest } = structuredClone(object);
      const isPulled = rest.kind === "ServiceAccount" && pullSecrets.length > 0;
      const pulled = isPulled ? { imagePullSecrets: pullSecrets.map((secret) => ({ name: secret })) } : {};
      return { ...rest, ...pulled, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
    });
}

/** Makes the cluster that the server runs in one of the fleet, with an agent beside the server. */
export async function registerCluster(
  cluster: KubeCluster,
  client: Client,
  place: AgentPlace,
  context: PhaseContext,
): Promise<void> {
  const { signal } = context;
  const hasJoined = await joinedBefore(client, place, context);
  const joinToken = hasJoined ? undefined : await newJoinToken(cluster, client, place, context);
  for (const object of agentObjects(place, joinToken)) {
    if (object.kind === "CustomResourceDefinition" && (await isForeign(cluster, object, context))) continue;
    if (object.metadata.name === joinSecretName && joinToken === undefined) continue;
    await cluster.apply(context, object, place.namespace);
  }
  const { resources } = await import("@bowline/kube");
  const selector = `app.kubernetes.io/name=${agentName},app.kubernetes.io/instance=${place.name}`;
  const workload = { resource: resources.deployments, namespace: place.namespace, name: agentName, selector };
  await untilHealthy(cluster, workload, context);
  await untilConnected(client, place.name, context);
  signal.throwIfAborted();
}

/** An agent that has joined keeps its key; another join token would make a stranger of it. */
async function joinedBefore(
  client: Client,
  { name }: AgentPlace,
  { ledger, signal }: PhaseContext,
): Promise<boolean> {
  const isOurs = ledger
    .existing()
    .some(({ type, id }) => type === "Deployment" && id.endsWith(`/${agentName}`));
  if (!isOurs) return false;
  const found = await client.get(Cluster, name, { signal }).catch(() => undefined);
  return found?.status.agent !== undefined;
}

async function newJoinToken(
  cluster: KubeCluster,
  client: Client,
  { name }: AgentPlace,
  { call, ledger, signal }: PhaseContext,
): Promise<string> {
  const joinedId = await rememberedId(cluster, client, name, signal);
  const wanted = { name, labels: {}, region: undefined, joinedId };
  await ledger.make({ type: "Cluster", id: name }, () =>
    call(`Cluster ${name}`, () => ensureCluster(client, wanted, signal)),
  );
  return (await call(`join token of ${name}`, () => client.createJoinToken(name, { signal }))).token;
}

/**
 * The id of the Cluster where the server remembers this very cluster: after a `down` that kept the data, or in a
 * database that was restored. The key of the agent from then is gone with its Secret, so the next one has to join anew.
 */
async function rememberedId(
  { client: kube }: KubeCluster,
  client: Client,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { resources } = await import("@bowline/kube");
  const remembered = await client.get(Cluster, name, { signal }).catch(() => undefined);
  if (remembered?.status.agent === undefined) return undefined;
  const system = await kube.getMetadata(resources.namespaces, { name: "kube-system", signal });
  return remembered.status.clusterUid === system.metadata.uid ? remembered.metadata.id : undefined;
}

/** The definition of Workloads belongs to the first who brought it. */
async function isForeign(
  cluster: KubeCluster,
  object: KubeObject,
  { ledger, signal }: PhaseContext,
): Promise<boolean> {
  const found = await cluster.find(await cluster.placeOf(object, ""), signal);
  return found !== undefined && labelOf(found, idLabel) !== ledger.state.installation;
}

async function untilConnected(
  client: Client,
  name: string,
  { clock, signal, progress }: PhaseContext,
): Promise<void> {
  const endMs = clock.monotonicMs() + connectedLimitMs;
  for (;;) {
    const { status } = await client.get(Cluster, name, { signal });
    if (status.conditions.some(({ type, status: is }) => type === "AgentConnected" && is === "True")) return;
    progress("waits for the agent to connect");
    if (clock.monotonicMs() > endMs) {
      throw new BowlineError(
        "Timeout",
        `The agent of the cluster runs and does not connect; look at \`kubectl logs deployment/${agentName}\`, and whether pods reach the server under its --url.`,
      );
    }
    await clock.sleep(lookAgainMs, signal);
  }
}
