import type { BowlineError, Clock, Random } from "@bowline/core";
import {
  createInformer,
  Discovery,
  resources,
  ValueInterner,
  type FieldMask,
  type Informer,
  type InformerOptions,
  type KubeClient,
  type ResourceRef,
} from "@bowline/kube";
import type { NamespaceLabels } from "@bowline/monitoring";

import { customResources, monitorResources } from "../objects/kinds.ts";
import { ownedSelector } from "../objects/ownership.ts";
import type { CachedNamespace } from "./agent-interests.ts";
import { cachedMetadata, selectedObject, type CachedMetadata, type SelectedObject } from "./cached-object.ts";
import {
  definitionFields,
  definitionOf,
  DiscoveredDefinitions,
  type DefinitionSource,
} from "./definitions.ts";
import { OptionalInformer } from "./optional-informer.ts";
import { scopedInformer, type ScopedInformer } from "./scoped-informer.ts";

interface ClusterCacheOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly onError: (error: BowlineError) => void;
  /** Where to look; all of the cluster without it. */
  readonly namespaces?: readonly string[] | undefined;
}

/** Status, annotations and managed fields are most of what a monitor weighs, and decide nothing. */
const selectedFields: FieldMask = {
  apiVersion: true,
  kind: true,
  metadata: { generation: true, labels: true },
  spec: true,
};

/**
 * All that the operator watches. Of Secrets and ConfigMaps, which may be most of what a cluster holds, only metadata is
 * asked for; values are read when a configuration needs them.
 */
export class ClusterCache {
  readonly definitions: DefinitionSource;
  /** By kind. */
  readonly monitors: ReadonlyMap<string, OptionalInformer<SelectedObject>>;
  /** None where the operator looks into some only: their labels belong to the cluster. */
  readonly namespaces: Informer<CachedNamespace> | undefined;
  readonly secrets: ScopedInformer<CachedMetadata>;
  readonly configMaps: ScopedInformer<CachedMetadata>;
  /** Services that operators own. */
  readonly services: ScopedInformer<CachedMetadata>;
  readonly statefulSets: ScopedInformer<CachedMetadata>;
  readonly #options: ClusterCacheOptions & Pick<InformerOptions<unknown>, "transport" | "interner">;
  #namespaceLabels: NamespaceLabels | undefined;

  constructor(options: ClusterCacheOptions) {
    this.#options = { ...options, transport: options.client.transport, interner: new ValueInterner() };
    this.definitions = this.#definitions();
    this.monitors = new Map(monitorResources.map((resource) => [resource.kind, this.optional(resource)]));
    this.namespaces = options.namespaces === undefined ? this.#namespaces() : undefined;
    this.secrets = this.#metadata(resources.secrets);
    this.configMaps = this.#metadata(resources.configMaps);
    this.services = this.#metadata(resources.services, ownedSelector);
    this.statefulSets = this.#metadata(resources.statefulSets, ownedSelector);
  }

  namespaceLabels(): NamespaceLabels {
    this.#namespaceLabels ??= new Map(
      (this.namespaces?.list() ?? []).map(({ metadata }) => [metadata.name, metadata.labels ?? {}]),
    );
    return this.#namespaceLabels;
  }

  /** An informer of its own for a kind that may not be installed. */
  optional(resource: ResourceRef): OptionalInformer<SelectedObject> {
    return new OptionalInformer({
      resource,
      definitions: this.definitions,
      create: () => this.#informer({ resource, project: selectedObject, fields: selectedFields }),
    });
  }

  #definitions(): DefinitionSource {
    const { client, clock, namespaces } = this.#options;
    if (namespaces !== undefined) {
      const discovery = new Discovery(client, { clock });
      return new DiscoveredDefinitions({ discovery, resources: customResources, clock });
    }
    const resource = resources.customResourceDefinitions;
    return createInformer({
      ...this.#options,
      resource,
      project: definitionOf,
      fields: definitionFields,
    });
  }

  #namespaces(): Informer<CachedNamespace> {
    const informer = createInformer<CachedNamespace>({
      ...this.#options,
      resource: resources.namespaces,
      project: ({ metadata: { name = "", labels = {} } }) => ({ metadata: { name, labels } }),
      metadataOnly: true,
    });
    const forgetLabels = (): void => void (this.#namespaceLabels = undefined);
    informer.addHandler({ add: forgetLabels, update: forgetLabels, delete: forgetLabels });
    return informer;
  }

  #metadata(resource: ResourceRef, labelSelector?: string): ScopedInformer<CachedMetadata> {
    return this.#informer({
      resource,
      project: cachedMetadata,
      metadataOnly: true,
      ...(labelSelector === undefined ? {} : { labelSelector }),
    });
  }

  #informer<T>(
    options: Omit<InformerOptions<T>, "transport" | "onError" | "clock" | "random" | "interner">,
  ): ScopedInformer<T> {
    return scopedInformer({ ...this.#options, ...options }, this.#options.namespaces);
  }
}

/** The kind of the agents of a family, and that of the instances they run. */
export interface FamilyKinds {
  readonly agents: ResourceRef;
  readonly instances: ResourceRef;
}

/** The objects of one family of agents, and the monitors, which all families share. */
export class FamilyCache {
  readonly agents: OptionalInformer<SelectedObject>;
  readonly instances: OptionalInformer<SelectedObject>;
  /** Instances and monitors, by kind. */
  readonly selected: ReadonlyMap<string, OptionalInformer<SelectedObject>>;

  constructor({ agents, instances }: FamilyKinds, cluster: ClusterCache) {
    this.agents = cluster.optional(agents);
    this.instances = cluster.optional(instances);
    this.selected = new Map([[instances.kind, this.instances], ...cluster.monitors]);
  }

  /** Instances and monitors. */
  selectable(): SelectedObject[] {
    return [...this.selected.values()].flatMap((informer) => informer.list());
  }
}
