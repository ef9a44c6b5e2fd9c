import { asRecord, hasCode } from "@bowline/core";
import { listAll, type Discovery, type KubeClient, type KubeObject, type ResourceRef } from "@bowline/kube";

import { chooseClass, type ChosenClass } from "./choose-class.ts";
import type { EntryFacts } from "./entries.ts";
import { gatewayGroup } from "./entry.ts";
import { certificateApisIn, certManagerGroup, gatewayApisIn } from "./gateway-apis.ts";
import type { KnownIssuers } from "./host-certificate.ts";

/** What a cluster has for Gateways. */
export type ClusterFacts = { readonly hasCertManager: boolean } & (UsableFacts | NoFacts);

/** Of a cluster that has the Gateway API. */
type UsableFacts = EntryFacts & { readonly chosen: ChosenClass };

interface NoFacts {
  /** Why nothing can be made there. */
  readonly message: string;
  /** Whether that is because the cluster has no Gateway API. */
  readonly isAbsent: boolean;
}

export interface FactsQuestion {
  readonly cluster: string;
  readonly wantedClass: string | undefined;
  /** The one that the Gateway uses there already. */
  readonly usedClass: string | undefined;
  /** Whether cert-manager may come any moment. */
  readonly expectsCertManager: boolean;
  readonly client: KubeClient;
  readonly discovery: Discovery;
  readonly signal: AbortSignal;
}

export async function readFacts(question: FactsQuestion): Promise<ClusterFacts> {
  const { cluster, wantedClass: wanted, usedClass: used, client, discovery, signal } = question;
  // Asks again when it was not there a while ago: somebody may have installed it since.
  await discovery.findKind({ kind: "GatewayClass", group: gatewayGroup });
  if (question.expectsCertManager) {
    await discovery.findKind({ kind: "ClusterIssuer", group: certManagerGroup });
  }
  const discovered = await discovery.apis();
  // What could not be read is not what is not there: nothing is removed or installed by that.
  const unread = discovered.failures.find(
    ({ group }) => group === gatewayGroup || group === certManagerGroup,
  );
  if (unread !== undefined) {
    discovery.invalidate();
    throw unread.error;
  }
  const apis = gatewayApisIn(discovered);
  const hasCertManager = certificateApisIn(discovered) !== undefined;
  if (apis === undefined) {
    return {
      hasCertManager,
      message: `Cluster ${cluster} has no Gateway API (gateway.networking.k8s.io, v1 or v1beta1); install an implementation of it there.`,
      isAbsent: true,
    };
  }
  const classes = await readable(all(client, apis.gatewayClass, { signal }));
  if (classes === undefined) {
    const message = `GatewayClasses of cluster ${cluster} may not be listed.`;
    return { hasCertManager, message, isAbsent: false };
  }
  const chosen = chooseClass(classes, { wanted, used, cluster });
  const issuers =
    apis.certificates === undefined
      ? undefined
      : await knownIssuers(client, apis.certificates.clusterIssuer, signal);
  return { hasCertManager, apis, issuers, chosen };
}

async function knownIssuers(
  client: KubeClient,
  clusterIssuer: ResourceRef,
  signal: AbortSignal,
): Promise<KnownIssuers> {
  const found = await readable(all(client, clusterIssuer, { signal }));
  return { names: found?.map(({ metadata }) => metadata.name ?? "").toSorted(), isServed: true };
}

/** More than any cluster has; whoever runs it could otherwise fill the memory of the server. */
const maxItems = 20_000;

/** Every object of a kind. What has no name, or labels that are none, is no object, whatever a cluster says. */
export async function all(
  client: KubeClient,
  resource: ResourceRef,
  options: { readonly signal: AbortSignal; readonly labelSelector?: string },
): Promise<KubeObject[]> {
  const { items } = await listAll(client, resource, { ...options, maxItems });
  return items.filter((item: unknown) => {
    const { name, labels = {} } = asRecord(asRecord(item)["metadata"]);
    return (
      typeof name === "string" && typeof labels === "object" && labels !== null && !Array.isArray(labels)
    );
  });
}

/** Undefined where whoever asks has no right to it. */
export async function readable<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (hasCode(error, "Forbidden", "NotGranted")) return undefined;
    throw error;
  }
}
