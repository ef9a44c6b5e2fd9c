import type { BowlineError } from "@bowline/core";
import {
  createInformer,
  resources,
  type Informer,
  type KubeClient,
  type KubeObject,
  type ResourceRef,
} from "@bowline/kube";
import { informerSource, type EventSource, type Manager } from "@bowline/runtime";

import {
  gatewayResources,
  type Gateway,
  type GatewayClass,
  type HttpRoute,
  type ListenerSet,
  type ReferenceGrant,
} from "../model/gateway-kinds.ts";
import type { Secret, Service, Snapshot } from "../model/snapshot.ts";

/** A cache of one kind. Its definition in the cluster vouches for the fields, and nobody may change what it holds. */
export function cacheOf<T extends KubeObject>(
  client: KubeClient,
  resource: ResourceRef,
  onError: (error: BowlineError) => void,
): Informer<T> {
  const isWhole = (object: KubeObject): object is T => object.metadata.name !== undefined;
  return createInformer<T>({
    transport: client.transport,
    resource,
    onError,
    project: (object) => {
      if (isWhole(object)) return object;
      throw new TypeError(`A list of ${resource.plural} has an object without a name.`);
    },
  });
}

/** Everything in the cluster that decides about Gateways. */
export class ClusterCache {
  readonly classes: Informer<GatewayClass>;
  readonly gateways: Informer<Gateway>;
  readonly listenerSets: Informer<ListenerSet>;
  readonly routes: Informer<HttpRoute>;
  readonly #grants: Informer<ReferenceGrant>;
  readonly #services: Informer<Service>;
  readonly #secrets: Informer<Secret>;
  readonly #namespaces: Informer<KubeObject>;

  constructor(client: KubeClient, onError: (error: BowlineError) => void) {
    const { gatewayClasses, gateways, listenerSets, httpRoutes, referenceGrants } = gatewayResources;
    this.classes = cacheOf(client, gatewayClasses, onError);
    this.gateways = cacheOf(client, gateways, onError);
    this.listenerSets = cacheOf(client, listenerSets, onError);
    this.routes = cacheOf(client, httpRoutes, onError);
    this.#grants = cacheOf(client, referenceGrants, onError);
    this.#services = cacheOf(client, resources.services, onError);
    this.#secrets = cacheOf(client, resources.secrets, onError);
    this.#namespaces = cacheOf(client, resources.namespaces, onError);
  }

  /** Gives the informers to a manager; resolves to the sources that ask for `key` whenever anything changes. */
  addTo(manager: Manager, key: string): EventSource[] {
    const informers: readonly Informer<KubeObject>[] = [
      this.classes,
      this.gateways,
      this.listenerSets,
      this.routes,
      this.#grants,
      this.#services,
      this.#secrets,
      this.#namespaces,
    ];
    return informers.map((informer) => {
      manager.addInformer(informer.resource.plural, informer);
      return informerSource(informer, () => [key]);
    });
  }

  snapshot(): Snapshot {
    return {
      classes: this.classes.list(),
      gateways: this.gateways.list().filter(isStaying),
      listenerSets: this.listenerSets.list().filter(isStaying),
      routes: this.routes.list().filter(isStaying),
      grants: this.#grants.list(),
      service: (namespace, name) => this.#services.get(namespace, name),
      secret: (namespace, name) => this.#secrets.get(namespace, name),
      namespaceLabels: (name) => {
        const namespace = this.#namespaces.get("", name);
        return namespace === undefined ? undefined : (namespace.metadata.labels ?? {});
      },
    };
  }
}

/** What waits for a finalizer of somebody else serves nothing any more. */
function isStaying({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined;
}
