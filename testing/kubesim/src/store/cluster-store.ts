import type { Clock } from "@bowline/core";

import { ClusterIpAllocator } from "./cluster-ip-allocator.ts";
import { toStorage } from "./convert.ts";
import { deletionFinished, planDeletion, type DeleteOptions } from "./deletion.ts";
import { ownersAfter, type FieldOwner } from "./field-ownership.ts";
import type { IdentitySource } from "./identity-source.ts";
import { deepEqual, readString, readStrings } from "./json-value.ts";
import { kindRules } from "./kinds/index.ts";
import type { KindContext } from "./kinds/kind-rules.ts";
import { admitIntoNamespace, admitNamespaceDeletion } from "./namespace-admission.ts";
import { metaForUpdate, required, timestamp, validateMetaUpdate, validateNewMeta } from "./object-meta.ts";
import type { ObjectStore } from "./object-store.ts";
import { admitBySchema, completeBuiltin } from "./schema-admission.ts";
import {
  withGeneration,
  withoutOwners,
  withoutStatus,
  withStatusFrom,
  withStatusOf,
} from "./object-update.ts";
import type { ResourceRegistry } from "./resource-registry.ts";
import { apiVersionOf, type ResourceType } from "./resource-type.ts";
import type { NewObject, SimApi, SimDeleteOptions, SimEvent, SimObject } from "./sim-api.ts";
import { SimStatusError } from "./sim-status-error.ts";
import {
  alreadyExists,
  badRequest,
  conflict,
  invalid,
  notFound,
  optimisticLockMessage,
} from "./status-errors.ts";

export interface WriteOptions {
  /** Who writes; without it field ownership is not tracked, which keeps objects of the simulation itself small. */
  readonly owner?: FieldOwner;
  readonly dryRun?: boolean;
  /** `status` replaces the status alone; `finalize` and others may touch what a plain update may not. */
  readonly subresource?: string;
  /** Ownership was settled by server-side apply: the object brings its managedFields. */
  readonly applied?: boolean;
  /** Has the last word on an object that is about to be stored; refuses it by throwing. */
  readonly admit?: (object: SimObject) => void;
}

export interface DeleteResult {
  /** The last state of the object, or the state it waits in. */
  readonly object: SimObject;
  readonly removed: boolean;
}

export interface ClusterStoreOptions {
  readonly objects: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly clock: Clock;
  readonly identities: IdentitySource;
  readonly minorVersion: number;
}

/** Leaves room for the five characters that make a generated name unique, within the 63 of a DNS label. */
const longestNamePrefix = 58;

/** The rules of the API server over the plain object store: what a write must satisfy and what it sets in motion. */
export class ClusterStore implements SimApi {
  readonly objects: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly minorVersion: number;
  readonly #clock: Clock;
  readonly #identities: IdentitySource;
  readonly #addresses = new ClusterIpAllocator();
  readonly #context: KindContext;

  constructor(options: ClusterStoreOptions) {
    this.objects = options.objects;
    this.registry = options.registry;
    this.minorVersion = options.minorVersion;
    this.#clock = options.clock;
    this.#identities = options.identities;
    this.#context = {
      minorVersion: options.minorVersion,
      find: (resource, namespace, name) => this.get(resource, namespace, name),
      allocateClusterIp: (asked) => this.#addresses.allocate(asked),
    };
  }

  get(resource: string, namespace: string | undefined, name: string): SimObject | undefined {
    return this.objects.table(this.type(resource).key).get(namespace, name);
  }

  list(resource: string, namespace?: string): SimObject[] {
    return this.objects.table(this.type(resource).key).list(namespace);
  }

  create(resource: string, object: NewObject): SimObject {
    return this.createObject(this.type(resource), object);
  }

  update(resource: string, object: SimObject): SimObject {
    return this.updateObject(this.type(resource), object);
  }

  updateStatus(resource: string, object: SimObject): SimObject {
    return this.updateObject(this.type(resource), object, { subresource: "status" });
  }

  delete(
    resource: string,
    namespace: string | undefined,
    name: string,
    options: SimDeleteOptions = {},
  ): void {
    this.deleteObject(this.type(resource), namespace, name, options);
  }

  subscribe(resource: string, listener: (event: SimEvent) => void): () => void {
    return this.objects.subscribe(this.type(resource).key, listener);
  }

  /** The type behind `pods` or `deployments.apps`; asking for one that is not served is a 404. */
  type(resource: string): ResourceType {
    const type = this.registry.byKey(resource);
    if (!type) throw notFound({ group: "", resource: "resources" }, resource);
    return type;
  }

  live(type: ResourceType, namespace: string | undefined, name: string): SimObject {
    const object = this.objects.table(type.key).get(namespace, name);
    if (!object) throw notFound(type, name);
    return object;
  }

  createObject(type: ResourceType, input: NewObject, options: WriteOptions = {}): SimObject {
    const object = this.#newObject(type, input, options);
    options.admit?.(object);
    if (this.objects.table(type.key).get(object.metadata.namespace, object.metadata.name)) {
      throw alreadyExists(type, object.metadata.name);
    }
    return options.dryRun ? object : this.objects.put(type.key, object);
  }

  /** A new object as it will be stored, if it follows the rules. */
  #newObject(type: ResourceType, input: NewObject, options: WriteOptions): SimObject {
    if (input.metadata.resourceVersion) {
      throw new SimStatusError({
        code: 500,
        message: "resourceVersion should not be set on objects to be created",
      });
    }
    const named = this.#withNewMeta(type, options.applied ? input : withoutOwners(input));
    if (type.namespaced) {
      const namespaces = this.objects.table("namespaces");
      admitIntoNamespace(type, named, namespaces.get(undefined, named.metadata.namespace ?? ""));
    }
    const complete = options.owner ? named : completeBuiltin(type, named);
    return this.#admitted(type, type.hasStatus && type.custom ? withoutStatus(complete) : complete, options);
  }

  /** Defaults, ownership, what the server decides, and the checks: in the order in which the real server does them. */
  #admitted(type: ResourceType, object: SimObject, options: WriteOptions): SimObject {
    const rules = kindRules[type.key];
    const writtenAs = options.owner?.apiVersion;
    const admitted = admitBySchema(object, {
      type,
      minorVersion: this.minorVersion,
      ...(writtenAs === undefined ? {} : { writtenAs }),
    });
    // Nobody owns what the server decides from here on.
    const owned = options.applied
      ? admitted.object
      : this.#withOwners(type, undefined, admitted.object, options);
    const created = rules?.onCreate?.(owned, this.#context) ?? owned;
    const prepared = writtenAs === undefined ? created : (rules?.onRequest?.(created) ?? created);
    const own = writtenAs === undefined ? [] : (rules?.validate?.(prepared, writtenAs) ?? []);
    const problems = [...admitted.problems, ...own, ...validateNewMeta(type, prepared)];
    if (problems.length > 0) throw invalid(type, prepared.metadata.name, problems);
    return prepared;
  }

  /** Brings the live object to the desired state as far as the rules allow. No change, no write. */
  updateObject(type: ResourceType, desired: SimObject, options: WriteOptions = {}): SimObject {
    const live = this.live(type, desired.metadata.namespace, desired.metadata.name);
    this.#checkVersion(type, live, desired);
    const asked = toStorage(type, desired);
    const next =
      options.subresource === "status"
        ? withStatusFrom(asked, live, options.applied === true)
        : this.#specUpdate(type, live, asked, options);
    const writtenAs = options.owner?.apiVersion;
    const admitted = admitBySchema(next, {
      minorVersion: this.minorVersion,
      type,
      live,
      partial: options.subresource !== undefined,
      ...(writtenAs === undefined ? {} : { writtenAs }),
    });
    const problems = [...admitted.problems, ...validateMetaUpdate(type, live, admitted.object)];
    if (problems.length > 0) throw invalid(type, live.metadata.name, problems);
    const settled = kindRules[type.key]?.onAdmitted?.(admitted.object, live) ?? admitted.object;
    const counted = withGeneration(type, live, settled);
    if (deepEqual(live, counted)) return live;
    options.admit?.(counted);
    const owned = options.applied ? counted : this.#withOwners(type, live, counted, options);
    if (options.dryRun) return owned;
    if (!deletionFinished(owned)) return this.objects.put(type.key, owned);
    return this.#remove(type, owned);
  }

  deleteObject(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    options: DeleteOptions = {},
  ): DeleteResult {
    if (type.key === "namespaces") admitNamespaceDeletion(name);
    const live = this.live(type, namespace, name);
    if (type.key === "namespaces") {
      const waiting = this.#terminateNamespace(type, live, options);
      if (waiting) return waiting;
    }
    const plan = planDeletion(type, live, options, this.#clock.now());
    if (plan.step === "pending") return { object: live, removed: false };
    if (plan.step === "mark") {
      return {
        object: options.dryRun ? plan.object : this.objects.put(type.key, plan.object),
        removed: false,
      };
    }
    return { object: options.dryRun ? live : this.#remove(type, live), removed: true };
  }

  /** A namespace with its finalizer in place only begins to end; the namespace controller does the rest. */
  #terminateNamespace(type: ResourceType, live: SimObject, options: DeleteOptions): DeleteResult | undefined {
    if (readStrings(live, "spec.finalizers").length === 0) return undefined;
    if (live.metadata.deletionTimestamp !== undefined) {
      throw conflict(
        type,
        live.metadata.name,
        "The system is ensuring all content is removed from this namespace.  Upon completion, this namespace will automatically be purged by the system.",
      );
    }
    const ending: SimObject = {
      ...live,
      metadata: { ...live.metadata, deletionTimestamp: timestamp(this.#clock.now()) },
      status: { phase: "Terminating" },
    };
    return { object: options.dryRun ? ending : this.objects.put(type.key, ending), removed: false };
  }

  #remove(type: ResourceType, last: SimObject): SimObject {
    const address = type.key === "services" ? readString(last, "spec.clusterIP") : undefined;
    if (address) this.#addresses.release(address);
    return this.objects.remove(type.key, last);
  }

  #withNewMeta(type: ResourceType, input: NewObject): SimObject {
    const {
      deletionTimestamp: _time,
      deletionGracePeriodSeconds: _grace,
      generation: _generation,
      resourceVersion: _version,
      ...asked
    } = input.metadata;
    const generated = asked.generateName
      ? `${asked.generateName.slice(0, longestNamePrefix)}${this.#identities.nameSuffix()}`
      : "";
    const name = asked.name === undefined || asked.name === "" ? generated : asked.name;
    if (name === "") throw invalid(type, "", [required("metadata.name", "name or generateName is required")]);
    const { namespace, ...unplaced } = asked;
    return toStorage(type, {
      ...input,
      kind: type.kind,
      apiVersion: typeof input["apiVersion"] === "string" ? input["apiVersion"] : apiVersionOf(type),
      metadata: {
        ...unplaced,
        name,
        ...(type.namespaced && namespace !== undefined ? { namespace } : {}),
        uid: this.#identities.uid(),
        resourceVersion: "",
        ...(type.countsGeneration ? { generation: 1 } : {}),
        creationTimestamp: timestamp(this.#clock.now()),
      },
    });
  }

  #checkVersion(type: ResourceType, live: SimObject, desired: SimObject): void {
    const { uid, resourceVersion, name } = desired.metadata;
    if (uid && uid !== live.metadata.uid) {
      throw conflict(
        type,
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`,
      );
    }
    if (resourceVersion && resourceVersion !== live.metadata.resourceVersion) {
      if (!/^\d+$/.test(resourceVersion)) {
        throw badRequest(
          `invalid resource version "${resourceVersion}": strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`,
        );
      }
      throw conflict(type, name, optimisticLockMessage);
    }
  }

  #specUpdate(type: ResourceType, live: SimObject, asked: SimObject, options: WriteOptions): SimObject {
    const rules = kindRules[type.key] ?? {};
    const placed = { ...asked, metadata: metaForUpdate(live, asked) };
    const kept = type.hasStatus ? withStatusOf(live, placed) : placed;
    if (options.subresource !== undefined) return kept;
    return rules.onUpdate?.(kept, live, this.#context) ?? kept;
  }

  #withOwners(
    type: ResourceType,
    before: SimObject | undefined,
    after: SimObject,
    options: WriteOptions,
  ): SimObject {
    if (!options.owner) return after;
    return ownersAfter({ type, before, after, owner: options.owner, time: timestamp(this.#clock.now()) });
  }
}
