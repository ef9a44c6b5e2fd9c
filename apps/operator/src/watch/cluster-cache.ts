import type { BowlineError, Clock, Random } from "@bowline/core";
import {
  createInformer,
  resources,
  ValueInterner,
  type FieldMask,
  type Informer,
  type InformerOptions,
  type ResourceRef,
  type Transport,
} from "@bowline/kube";
import type { NamespaceLabels } from "@bowline/monitoring";

import { monitorResources } from "../api/resources.ts";
import { ownedSelector } from "../objects/ownership.ts";
import type { CachedNamespace } from "./agent-interests.ts";
import { cachedMetadata, selectedObject, type CachedMetadata, type SelectedObject } from "./cached-object.ts";
import { definitionFields, definitionOf, type Definition } from "./definition.ts";
import { OptionalInformer } from "./optional-informer.ts";

export interface ClusterCacheOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly onError: (error: BowlineError) => void;
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
  readonly definitions: Informer<Definition>;
  /** By kind. */
  readonly monitors: ReadonlyMap<string, OptionalInformer<SelectedObject>>;
  readonly namespaces: Informer<CachedNamespace>;
  readonly secrets: Informer<CachedMetadata>;
  readonly configMaps: Informer<CachedMetadata>;
  /** Those that operators own. */
  readonly services: Informer<CachedMetadata>;
  readonly statefulSets: Informer<CachedMetadata>;
  readonly #options: ClusterCacheOptions & { readonly interner: ValueInterner };
  #namespaceLabels: NamespaceLabels | undefined;

  constructor(options: ClusterCacheOptions) {
    this.#options = { ...options, interner: new ValueInterner() };
    this.definitions = this.#informer({
      resource: resources.customResourceDefinitions,
      project: definitionOf,
      fields: definitionFields,
    });
    this.monitors = new Map(monitorResources.map((resource) => [resource.kind, this.optional(resource)]));
    this.namespaces = this.#informer({
      resource: resources.namespaces,
      project: ({ metadata: { name = "", labels = {} } }) => ({ metadata: { name, labels } }),
      metadataOnly: true,
    });
    const forgetLabels = (): void => void (this.#namespaceLabels = undefined);
    this.namespaces.addHandler({ add: forgetLabels, update: forgetLabels, delete: forgetLabels });
    this.secrets = this.#metadata(resources.secrets);
    this.configMaps = this.#metadata(resources.configMaps);
    this.services = this.#metadata(resources.services, ownedSelector);
    this.statefulSets = this.#metadata(resources.statefulSets, ownedSelector);
  }

  namespaceLabels(): NamespaceLabels {
    this.#namespaceLabels ??= new Map(
      this.namespaces.list().map(({ metadata }) => [metadata.name, metadata.labels ?? {}]),
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

  #metadata(resource: ResourceRef, labelSelector?: string): Informer<CachedMetadata> {
    return this.#informer({
      resource,
      project: cachedMetadata,
      metadataOnly: true,
      ...(labelSelector === undefined ? {} : { labelSelector }),
    });
  }

  #informer<T>(
    options: Omit<InformerOptions<T>, "transport" | "onError" | "clock" | "random" | "interner">,
  ): Informer<T> {
    return createInformer({ ...this.#options, ...options });
  }
}
