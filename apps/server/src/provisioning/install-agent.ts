import { randomUUID } from "node:crypto";

import { defaultRights } from "@bowline/api";
import { agentManifest, joinSecret, type KubernetesObject } from "@bowline/api/agent-manifest";
import { BowlineError } from "@bowline/core";
import { resources, type KubeClient, type KubeObject, type ResourceRef } from "@bowline/kube";

import { issueJoinToken, type JoinTokenTools } from "./join-token.ts";

/** What an agent is installed with. */
export interface AgentManifests extends JoinTokenTools {
  readonly image: string;
  readonly namespace: string;
}

const fieldManager = "bowline";
const lifetimeMs = 60 * 60_000;

/**
 * Applies what runs the agent, with a join token; again, it gives the agent another token and changes nothing else. The
 * token is made once the cluster has taken all the rest: one that cannot be reached, or refuses something, is tried for
 * days, and would cost a token and a record each time.
 */
export async function installAgent(
  manifests: AgentManifests,
  client: KubeClient,
  { cluster, signal }: { readonly cluster: string; readonly signal: AbortSignal },
): Promise<void> {
  const { image, namespace } = manifests;
  const apply = async (object: KubernetesObject, dryRun = false): Promise<void> => {
    const options = { fieldManager, force: true, dryRun, signal };
    await client.apply(resourceOf(object), mutable(object), options);
  };
  const all = agentManifest({ cluster, namespace, image, rights: defaultRights, joinToken: "" });
  const deployments = all.map(({ object }) => object).filter(({ kind }) => kind === "Deployment");
  const tokenless = joinSecret({ cluster, namespace, joinToken: "" }).object;
  for (const { object } of all) {
    const isToken = object.kind === tokenless.kind && object.metadata.name === tokenless.metadata.name;
    if (!isToken) await apply(object, object.kind === "Deployment");
  }
  const joinToken = await newToken(manifests, cluster);
  // Before the pod that reads it.
  for (const object of [joinSecret({ cluster, namespace, joinToken }).object, ...deployments])
    await apply(object);
}

async function newToken(manifests: AgentManifests, cluster: string): Promise<string> {
  const { token } = await issueJoinToken(manifests, {
    cluster,
    lifetimeMs,
    audit: () => ({
      actor: {},
      verb: "create",
      outcome: "allowed",
      httpStatus: 201,
      kind: "JoinToken",
      name: cluster,
      message: "For the agent that the server installs in the cluster that it has made.",
      requestId: randomUUID(),
    }),
  });
  return token;
}

const byKind = new Map<string, ResourceRef>(Object.values(resources).map((each) => [each.kind, each]));

function resourceOf({ kind, apiVersion }: KubernetesObject): ResourceRef {
  const found = byKind.get(kind);
  if (found !== undefined) return found;
  throw new BowlineError(
    "Internal",
    `The manifest of the agent has a ${apiVersion} ${kind}, which nobody knows.`,
  );
}

function mutable(object: KubernetesObject): KubeObject {
  const { metadata, ...rest } = structuredClone(object);
  return { ...rest, metadata: { ...metadata, labels: { ...metadata.labels } } };
}
