import { placementName, WorkloadPlacement, type GatewaySpec } from "@bowline/api";
import { hasCode } from "@bowline/core";
import { resources, type KubeClient, type KubeObject, type ResourceRef } from "@bowline/kube";
import { findCondition } from "@bowline/runtime";
import type { ObjectStore } from "@bowline/store";

import { readable } from "./cluster-facts.ts";
import { entryNamespace, listenerName, madeForGateways, type Entry } from "./entry.ts";
import type { EntryFacts } from "./entries.ts";
import { placeName } from "./entry-objects.ts";
import { certificateFor } from "./host-certificate.ts";
import type { SeenCertificate } from "./judge-certificate.ts";
import type { SeenEntry } from "./judge-entry.ts";
import type { SeenRoute } from "./judge-route.ts";
import type { ListenerPlace } from "./place-listeners.ts";
import { routeName } from "./route-objects.ts";
import { unlessMissing } from "./self-made-secrets.ts";

/** One Gateway in one cluster, and how its parts are read. */
export interface ReadOptions {
  readonly name: string;
  readonly spec: GatewaySpec;
  readonly namespace: string;
  readonly entry: Entry;
  readonly facts: EntryFacts;
  readonly places: ReadonlyMap<string, ListenerPlace>;
  /** Acts as whoever wrote the Gateway. */
  readonly client: KubeClient;
  /** Acts as whoever the entry is written as. */
  readonly entryClient: KubeClient;
  readonly signal: AbortSignal;
}

export async function readEntry(options: ReadOptions, pending: string | undefined): Promise<SeenEntry> {
  const { entry, facts, places, entryClient, signal } = options;
  const namespace = entryNamespace(entry);
  const read = async (kind: ListenerPlace["kind"], resource: ResourceRef | undefined) => {
    const indexes = [...places.values()].flatMap((place) => (place.kind === kind ? [place.index] : []));
    // The first Gateway is there without any listener of its own, and ListenerSets belong to it.
    if (kind === "Gateway") indexes.push(0);
    const names = new Set(indexes.map((index) => placeName(entry, { kind, index })));
    const found = new Map<string, KubeObject>();
    if (resource === undefined) return found;
    for (const name of names) {
      const object = await readOne(entryClient, resource, { namespace, name, signal });
      if (object !== undefined) found.set(name, object);
    }
    return found;
  };
  const gateways = await read("Gateway", facts.apis.gateway);
  const sets = await read("ListenerSet", facts.apis.listenerSet);
  return { entry, places, gateways, sets, pending };
}

export async function readRoute(
  options: ReadOptions,
  { controller, pending, others }: Pick<SeenRoute, "controller" | "pending" | "others">,
): Promise<SeenRoute> {
  const { name, spec, namespace, facts, client, signal } = options;
  const isPassed = spec.tls.mode === "passthrough";
  const resource = isPassed ? facts.apis.tlsRoute : facts.apis.httpRoute;
  const label = `${isPassed ? "TLSRoute" : "HTTPRoute"} ${namespace}/${routeName(name)}`;
  const at = { namespace, name: routeName(name), signal };
  const services = new Map<string, KubeObject | undefined>();
  for (const service of new Set(spec.rules.map((rule) => rule.service))) {
    const question = unlessMissing(client.get(resources.services, { namespace, name: service, signal }));
    const found = await readable(question.then((object) => ({ object })));
    // Of what may not be read nobody knows whether it is there; the controller of the class does.
    if (found !== undefined) services.set(service, found.object);
  }
  const route = resource === undefined ? undefined : await readOne(client, resource, at);
  return {
    label,
    route: isOf(name, route) ? route : undefined,
    controller,
    services,
    others,
    pending,
  };
}

/** Somebody else may have a route of that name: how that does is nothing to this Gateway. */
function isOf(name: string, route: KubeObject | undefined): boolean {
  const { labels = {} } = route?.metadata ?? {};
  return labels[madeForGateways] !== undefined && labels["bowline.dev/gateway"] === name;
}

export async function readCertificates(options: ReadOptions): Promise<SeenCertificate[]> {
  const { spec, namespace, facts, entry, client, entryClient, signal } = options;
  const certificate = certificateFor(spec.tls, { namespace, issuers: facts.issuers });
  const read = async (host: string): Promise<SeenCertificate> => {
    if ("problem" in certificate) return { host, certificate, object: undefined, refused: undefined };
    const own = { namespace: entryNamespace(entry), name: listenerName(host), signal };
    try {
      if (certificate.from === "secret") {
        const { from: _, ...at } = certificate;
        const object = await unlessMissing(client.get(resources.secrets, { ...at, signal }));
        return { host, certificate, object, refused: undefined };
      }
      const resource =
        certificate.from === "issuer" ? facts.apis.certificates?.certificate : resources.secrets;
      const object = resource === undefined ? undefined : await unlessMissing(entryClient.get(resource, own));
      return { host, certificate, object, refused: undefined };
    } catch (error) {
      if (!(error instanceof Error) || !hasCode(error, "Forbidden", "NotGranted")) throw error;
      return { host, certificate, object: undefined, refused: error.message };
    }
  };
  return Promise.all(spec.hosts.map(read));
}

/** What is not there, and what may not be read, is as good as not there: whoever applies it says why. */
async function readOne(
  client: KubeClient,
  resource: ResourceRef,
  at: { readonly namespace: string; readonly name: string; readonly signal: AbortSignal },
): Promise<KubeObject | undefined> {
  return readable(unlessMissing(client.get(resource, at)));
}

/**
 * Why a workload of ours is not applied yet, in the words of its placement; undefined when it is. Whether it is healthy is
 * no part of this: an entry is not, before it has the certificate that is made once it is applied.
 */
export async function pendingOf(
  objects: Pick<ObjectStore, "get">,
  { name, cluster }: { readonly name: string; readonly cluster: string },
): Promise<string | undefined> {
  const placement = await objects.get(WorkloadPlacement, placementName(name, cluster));
  const applied = findCondition(placement?.status.conditions ?? [], "Applied");
  if (placement === undefined || applied?.observedGeneration !== placement.metadata.generation) {
    return "it has yet to be applied";
  }
  return applied.status === "True" ? undefined : applied.message || applied.reason;
}
