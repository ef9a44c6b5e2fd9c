import { BowlineError, isRecord } from "@bowline/core";
import { connect, Discovery, KubeClient, resources, type KubeObject } from "@bowline/kube";

import { inlineConnection } from "../inline-connection.ts";
import type { ClusterAccess, ProviderWork } from "../provider.ts";
import { AwsError } from "./aws/aws-api.ts";
import type { WorkloadRemoval } from "./eks-deletion.ts";

const requestLimitMs = 20_000;
/** A cluster that does not answer so often in a row is taken for dead. */
const mostFailures = 3;

interface RemovalChoice {
  /** Whether the data in volumes may go. */
  readonly deletesVolumes: boolean;
}

/** Asks the control plane itself, by the access that the provider gives whoever runs it. */
export function removalByAccess(
  credentials: (work: ProviderWork) => Promise<ClusterAccess>,
  { deletesVolumes }: RemovalChoice,
): WorkloadRemoval {
  /** By the ids of clusters that did not answer last. */
  const failures = new Map<string, number>();
  return async (work) => {
    const { id } = work.cluster;
    try {
      const { kubeconfig } = await credentials(work);
      const transport = connect(inlineConnection(kubeconfig), { clock: work.clock });
      try {
        const signal = AbortSignal.any([work.signal, AbortSignal.timeout(requestLimitMs)]);
        const client = new KubeClient(transport);
        const found = await removeCloudObjects(client, { clock: work.clock, signal, deletesVolumes });
        failures.delete(id);
        return found;
      } finally {
        await transport.close();
      }
    } catch (error) {
      work.signal.throwIfAborted();
      if (error instanceof AwsError) throw error;
      const count = (failures.get(id) ?? 0) + 1;
      failures.set(id, count);
      if (count < mostFailures) return "waiting";
      failures.delete(id);
      return "unreachable";
    }
  };
}

/**
 * Asks all to go that has made load balancers, and volumes where those may go, and what would make them anew. What the
 * cloud takes away is seen to be gone when Kubernetes has let go of it.
 */
export async function removeCloudObjects(
  client: KubeClient,
  { clock, signal, deletesVolumes }: Pick<ProviderWork, "clock" | "signal"> & RemovalChoice,
): Promise<"done" | "waiting"> {
  const discovery = new Discovery(client, { clock });
  const { items: services } = await client.list(resources.services, { signal });
  const balanced = services.filter(({ spec }) => isRecord(spec) && spec["type"] === "LoadBalancer");
  const going: Going[] = [[resources.services, balanced]];
  if (deletesVolumes) going.push(...(await holdersOfVolumes(client, signal)));
  for (const [group, kind] of [
    ["networking.k8s.io", "Ingress"],
    ["gateway.networking.k8s.io", "Gateway"],
  ] as const) {
    const resource = await discovery.findKind({ group, kind });
    if (resource === undefined) continue;
    going.push([resource, (await client.list(resource, { signal })).items]);
  }
  for (const [resource, objects] of going) {
    for (const { metadata } of objects.filter((each) => each.metadata.deletionTimestamp === undefined)) {
      const { name = "", namespace } = metadata;
      const place = namespace === undefined ? { name } : { namespace, name };
      await client.delete(resource, { ...place, signal }).catch(unlessMissing);
    }
  }
  if (going.some(([, objects]) => objects.length > 0)) return "waiting";
  if (!deletesVolumes) return "done";
  const { items: volumes } = await client.list(resources.persistentVolumes, { signal });
  return volumes.some(isGoing) ? "waiting" : "done";
}

type Going = readonly [resource: Parameters<KubeClient["delete"]>[0], objects: readonly KubeObject[]];

async function holdersOfVolumes(client: KubeClient, signal: AbortSignal): Promise<Going[]> {
  const { items: sets } = await client.list(resources.statefulSets, { signal });
  const { items: claims } = await client.list(resources.persistentVolumeClaims, { signal });
  const { items: pods } = await client.list(resources.pods, { signal });
  return [
    [resources.statefulSets, sets.filter(makesClaims)],
    [resources.persistentVolumeClaims, claims],
    // A claim is there for as long as a pod on some node uses it; the next pods wait for one in vain.
    [resources.pods, pods.filter(usesClaim)],
  ];
}

/** Those of a claim that is gone are deleted in the cloud before they are gone here. */
function isGoing({ spec, status }: KubeObject): boolean {
  const isDeleted = isRecord(spec) && spec["persistentVolumeReclaimPolicy"] === "Delete";
  return isDeleted && isRecord(status) && ["Bound", "Released"].includes(String(status["phase"]));
}

function makesClaims({ spec }: KubeObject): boolean {
  const templates = isRecord(spec) ? spec["volumeClaimTemplates"] : undefined;
  return Array.isArray(templates) && templates.length > 0;
}

function usesClaim({ spec }: KubeObject): boolean {
  const volumes = isRecord(spec) ? spec["volumes"] : undefined;
  return Array.isArray(volumes) && volumes.some((each) => isRecord(each) && "persistentVolumeClaim" in each);
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof BowlineError && error.code === "NotFound") return undefined;
  throw error;
}
