import type { KubeList, KubeObject, KubeTable, PartialObjectMetadata, ResourceRef } from "../object.ts";
import type { KubeRequest, KubeResponse, Transport } from "../transport.ts";
import {
  accept,
  deleteBody,
  listQuery,
  patchContentType,
  writeQuery,
  type ApplyOptions,
  type CreateOptions,
  type CreateSubresourceOptions,
  type DeleteOptions,
  type GetOptions,
  type ListOptions,
  type PatchOptions,
  type UpdateOptions,
} from "./client-options.ts";
import { KubeRequester, type KubeRequesterOptions } from "./kube-requester.ts";
import {
  checkedNamespace,
  checkedTarget,
  describeTarget,
  resourcePath,
  targetOf,
  type ObjectTarget,
} from "./resource-path.ts";

const jsonBody = { "content-type": "application/json" } as const;

/**
 * The verbs of the Kubernetes API over one transport. Stateless: making one costs nothing, closing is the transport's.
 * The type parameter is the caller's word for what the resource holds; the server's answer is not checked against it.
 */
export class KubeClient {
  readonly transport: Transport;
  readonly #requester: KubeRequester;

  constructor(transport: Transport, options: KubeRequesterOptions = {}) {
    this.transport = transport;
    this.#requester = new KubeRequester(transport, options);
  }

  get<T extends KubeObject = KubeObject>(resource: ResourceRef, options: GetOptions): Promise<T> {
    return this.#getAs<T>(resource, options, accept.json);
  }

  /** Name, labels, owners and the like, without spec, status or data. */
  getMetadata(resource: ResourceRef, options: GetOptions): Promise<PartialObjectMetadata> {
    return this.#getAs<PartialObjectMetadata>(resource, options, accept.metadata);
  }

  /** One page, or everything when `limit` is left out. See `listPages` and `listAll` for whole collections. */
  async list<T extends KubeObject = KubeObject>(
    resource: ResourceRef,
    options: ListOptions = {},
  ): Promise<KubeList<T>> {
    return withKinds(resource, await this.#listAs<KubeList<T>>(resource, options, accept.json));
  }

  async listMetadata(
    resource: ResourceRef,
    options: ListOptions = {},
  ): Promise<KubeList<PartialObjectMetadata>> {
    const list = await this.#listAs<KubeList<PartialObjectMetadata>>(resource, options, accept.metadataList);
    return { ...list, items: itemsOf(list) };
  }

  /** The rows and columns `kubectl get` would print. */
  listTable(resource: ResourceRef, options: ListOptions = {}): Promise<KubeTable> {
    return this.#listAs<KubeTable>(resource, options, accept.table);
  }

  create<T extends KubeObject>(resource: ResourceRef, object: T, options: CreateOptions = {}): Promise<T> {
    const namespace = object.metadata.namespace ?? options.namespace;
    const target = collectionTarget(resource, namespace);
    return this.#requester.json<T>({
      action: `create ${describeTarget(resource, { ...target, name: object.metadata.name })}`,
      method: "POST",
      path: resourcePath(resource, target, writeQuery(options)),
      headers: jsonBody,
      body: JSON.stringify(object),
      ...cancelledBy(options),
    });
  }

  /** POSTs to a subresource that takes an object of its own kind: `eviction`, `token`, `binding`. */
  createSubresource<T extends KubeObject, R extends KubeObject = T>(
    resource: ResourceRef,
    object: T,
    options: CreateSubresourceOptions,
  ): Promise<R> {
    const target = checkedTarget(resource, options);
    return this.#requester.json<R>({
      action: `create the ${options.subresource} of ${describeTarget(resource, target)}`,
      method: "POST",
      path: resourcePath(resource, { ...target, subresource: options.subresource }, writeQuery(options)),
      headers: jsonBody,
      body: JSON.stringify(object),
      ...(options.noRetry === true ? { noRetry: true } : {}),
      ...cancelledBy(options),
    });
  }

  /** Replaces the object. With `metadata.resourceVersion` set it fails with `Conflict` if somebody was faster. */
  update<T extends KubeObject>(resource: ResourceRef, object: T, options: UpdateOptions = {}): Promise<T> {
    const target = targetOf(resource, object);
    return this.#requester.json<T>({
      action: `update ${describePart(resource, target, options.subresource)}`,
      method: "PUT",
      path: resourcePath(resource, { ...target, subresource: options.subresource }, writeQuery(options)),
      headers: jsonBody,
      body: JSON.stringify(object),
      ...cancelledBy(options),
    });
  }

  /** `patch` is an object for merge and strategic patches, and a list of operations for JSON patches. */
  patch<T extends KubeObject = KubeObject>(
    resource: ResourceRef,
    patch: object,
    options: PatchOptions,
  ): Promise<T> {
    const target = checkedTarget(resource, options);
    return this.#requester.json<T>({
      action: `patch ${describePart(resource, target, options.subresource)}`,
      method: "PATCH",
      path: resourcePath(resource, { ...target, subresource: options.subresource }, writeQuery(options)),
      headers: { "content-type": patchContentType[options.type] },
      body: JSON.stringify(patch),
      ...cancelledBy(options),
    });
  }

  /**
   * Server-side apply: says what the fields this manager cares about should be, and creates the object if it is not
   * there. Fields of other managers make it fail with `FieldConflict`, whose `details.conflicts` names them.
   */
  apply<T extends KubeObject>(resource: ResourceRef, object: T, options: ApplyOptions): Promise<T> {
    const target = targetOf(resource, object);
    return this.#requester.json<T>({
      action: `apply ${describePart(resource, target, options.subresource)}`,
      method: "PATCH",
      path: resourcePath(resource, { ...target, subresource: options.subresource }, writeQuery(options)),
      headers: { "content-type": patchContentType.apply },
      body: JSON.stringify(applicable(object, options.resourceVersion)),
      ...cancelledBy(options),
    });
  }

  /** Resolves to the object as it is being deleted, or to a `Status` when it is gone already. */
  delete(resource: ResourceRef, options: ObjectTarget & DeleteOptions): Promise<KubeObject> {
    const target = checkedTarget(resource, options);
    return this.#requester.json<KubeObject>({
      action: `delete ${describeTarget(resource, target)}`,
      method: "DELETE",
      path: resourcePath(resource, target),
      headers: jsonBody,
      body: deleteBody(options),
      ...cancelledBy(options),
    });
  }

  /** Deletes whatever the selectors of `list` choose in one namespace (or in none, for cluster-wide resources). */
  deleteCollection(resource: ResourceRef, options: ListOptions & DeleteOptions): Promise<KubeObject> {
    const target = collectionTarget(resource, options.namespace);
    return this.#requester.json<KubeObject>({
      action: `delete ${describeTarget(resource, target)}`,
      method: "DELETE",
      path: resourcePath(resource, target, listQuery(options)),
      headers: jsonBody,
      body: deleteBody(options),
      ...cancelledBy(options),
    });
  }

  /** Any JSON answer of the API server: `/version`, `/apis`, a path of an aggregated API. */
  requestJson<T extends object>(request: KubeRequest): Promise<T> {
    return this.#requester.json<T>({ action: actionOf(request), ...request });
  }

  /** Any other answer, as a stream: the caller reads the body to its end or destroys it. */
  requestStream(request: KubeRequest): Promise<KubeResponse> {
    return this.#requester.stream({ action: actionOf(request), ...request });
  }

  #getAs<T extends KubeObject>(resource: ResourceRef, options: GetOptions, mediaType: string): Promise<T> {
    const target = checkedTarget(resource, options);
    return this.#requester.json<T>({
      action: `get ${describePart(resource, target, options.subresource)}`,
      method: "GET",
      path: resourcePath(resource, { ...target, subresource: options.subresource }),
      headers: { accept: mediaType },
      ...cancelledBy(options),
    });
  }

  #listAs<T extends object>(resource: ResourceRef, options: ListOptions, mediaType: string): Promise<T> {
    const target = collectionTarget(resource, options.namespace);
    return this.#requester.json<T>({
      action: `list ${describeTarget(resource, target)}`,
      method: "GET",
      path: resourcePath(resource, target, listQuery(options)),
      headers: { accept: mediaType },
      ...cancelledBy(options),
    });
  }
}

function collectionTarget(
  resource: ResourceRef,
  namespace: string | undefined,
): { readonly namespace?: string } {
  if (!resource.namespaced || namespace === undefined) return {};
  return { namespace: checkedNamespace(resource, namespace) };
}

function describePart(resource: ResourceRef, target: ObjectTarget, subresource: string | undefined): string {
  const object = describeTarget(resource, target);
  return subresource === undefined ? object : `the ${subresource} of ${object}`;
}

function actionOf(request: KubeRequest): string {
  return `${request.method} ${request.path.split("?")[0]}`;
}

function cancelledBy({ signal }: { readonly signal?: AbortSignal }): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** An empty list may come as null, as Go writes it. */
function itemsOf<T extends KubeObject>({ items }: { readonly items: T[] | null }): T[] {
  return items ?? [];
}

/** Lists leave out what is the same in every item; code that handles many kinds needs it in each. */
function withKinds<T extends KubeObject>(resource: ResourceRef, list: KubeList<T>): KubeList<T> {
  const apiVersion = resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
  const items = itemsOf(list);
  for (const item of items) Object.assign(item, { apiVersion, kind: resource.kind });
  return { ...list, items };
}

/** An object that was read before carries both; the server refuses the first, and the second would make it a race. */
function applicable(object: KubeObject, resourceVersion: string | undefined): KubeObject {
  const { managedFields: _managedFields, resourceVersion: _resourceVersion, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: { ...metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  };
}
