import { WorkloadDefinition, type Author, type Gateway, type WorkloadInstance } from "@bowline/api";
import { hasCode } from "@bowline/core";
import type { Fence, Store } from "@bowline/store";

import type { ClusterClients } from "../../workloads/cluster-clients.ts";
import type { Finding } from "../check.ts";
import type { OwnedWorkloads } from "../owned-workloads.ts";
import { beingRemoved, notInstalled, notReady, nobodyText } from "./service-findings.ts";
import { ServicePlaces } from "./service-places.ts";
import { ServiceQuestions } from "./service-questions.ts";
import { namespaceWorkload, serviceWorkload } from "./service-workloads.ts";
import {
  definitionFor,
  namespaceName,
  serviceName,
  type ServiceDefinitions,
  type SupportService,
} from "./support-service.ts";

export interface SupportServicesOptions {
  readonly store: Pick<Store, "objects" | "installationId">;
  readonly clients: ClusterClients;
  readonly workloads: OwnedWorkloads;
  /** In whose name services are installed; missing for whoever wrote their definition. */
  readonly user: string | undefined;
  readonly definitions: ServiceDefinitions;
}

/** A service that a Gateway needs in a cluster. */
export interface ServiceNeed {
  readonly service: SupportService;
  /** Whether the cluster has it, ours or not; undefined where that has to be looked up. */
  readonly isThere: boolean | undefined;
}

/** What is not there yet of services, by their names. */
export type ServiceFindings = ReadonlyMap<string, Finding>;

export interface SettledServices {
  readonly findings: ServiceFindings;
  /** Whether all that are to go are gone. */
  readonly isSettled: boolean;
}

interface SettleOptions {
  readonly fence: Fence | undefined;
  readonly signal: AbortSignal;
  /** Those that are needed, though nothing of them may be there yet. */
  readonly needed?: readonly SupportService[];
}

/** So often what others write at the same moment is looked at anew. */
const attempts = 5;

/**
 * Installs what Gateways need in clusters beside themselves, from definitions that an admin has named, where a cluster does
 * not have it; and removes it when no Gateway needs it any more. Several Gateways share a service, maybe on several
 * replicas: each says in its status that it needs it before it writes it, and each write changes the note on it of who
 * does, so that nobody removes on the ground of an older one what another has just found there.
 */
export class SupportServices {
  readonly #options: SupportServicesOptions;
  readonly #objects: Store["objects"];
  readonly #workloads: OwnedWorkloads;
  readonly #places: ServicePlaces;
  readonly #questions: ServiceQuestions;

  constructor(options: SupportServicesOptions) {
    this.#options = options;
    this.#objects = options.store.objects;
    this.#workloads = options.workloads;
    this.#places = new ServicePlaces(this.#objects);
    this.#questions = new ServiceQuestions(this.#objects, options.clients);
  }

  /** The class that is installed where nobody names any, and the cluster has none. */
  get defaultClass(): string | undefined {
    return Object.keys(this.#options.definitions.implementations ?? {})[0];
  }

  /** Whether something may come to a cluster that its remembered APIs do not have yet. */
  async expects(service: SupportService): Promise<boolean> {
    const { definitions } = this.#options;
    if (definitionFor(service, definitions) !== undefined) return true;
    return (await this.#workloads.instance(serviceName(service))) !== undefined;
  }

  /** Those of the needs that are met by services of ours, or are to be; and why others cannot be. */
  async choose(
    cluster: string,
    needs: readonly ServiceNeed[],
    signal: AbortSignal,
  ): Promise<{ readonly ours: readonly SupportService[]; readonly refused: ServiceFindings }> {
    const known = await this.#places.servicesIn(cluster);
    const ours: SupportService[] = [];
    const refused = new Map<string, Finding>();
    for (const { service, isThere } of needs) {
      const isOurs = known.has(serviceName(service));
      const chosen = isOurs || (await this.#isToInstall({ service, isThere }, signal));
      if (chosen === true) ours.push(service);
      else if (chosen !== false) refused.set(serviceName(service), chosen);
    }
    return { ours, refused };
  }

  /** Writes the services of a cluster, and removes those that no Gateway needs. */
  async settle(cluster: string, options: SettleOptions): Promise<SettledServices> {
    const findings = new Map<string, Finding>();
    let isSettled = true;
    const known = await this.#places.servicesIn(cluster);
    for (const service of options.needed ?? []) known.set(serviceName(service), service);
    for (const [name, service] of known) {
      const settled = await this.#settleOne(service, options);
      isSettled = isSettled && settled !== "leaving";
      if (typeof settled !== "string") findings.set(name, settled);
    }
    return { findings, isSettled };
  }

  async #isToInstall({ service, isThere }: ServiceNeed, signal: AbortSignal): Promise<boolean | Finding> {
    if (isThere === true || definitionFor(service, this.#options.definitions) === undefined) return false;
    const writer = await this.#writerOf(service);
    if (typeof writer === "string") return notInstalled(service, writer);
    if (isThere === false) return true;
    const has = await this.#questions.isThere(service, { author: writer.author, signal });
    return typeof has === "boolean" ? !has : has;
  }

  async #settleOne(
    service: SupportService,
    options: SettleOptions,
  ): Promise<"settled" | "leaving" | Finding> {
    for (let attempt = 1; ; attempt += 1) {
      // First what is there, then who needs it: see above.
      const instance = await this.#workloads.instance(serviceName(service));
      const namespace = await this.#workloads.instance(namespaceName(service));
      const needers = await this.#places.needersOf(service);
      try {
        if (needers.length > 0) {
          return (await this.#write(service, { instance, namespace, needers }, options)) ?? "settled";
        }
        return (await this.#remove(service, { instance, namespace }, options)) ? "settled" : "leaving";
      } catch (error) {
        if (!hasCode(error, "Conflict") || attempt === attempts) throw error;
      }
    }
  }

  /** Resolves to what is not there yet of it. */
  async #write(
    service: SupportService,
    seen: SeenService & { readonly needers: readonly Gateway[] },
    { fence }: SettleOptions,
  ): Promise<Finding | undefined> {
    const { instance, namespace, needers } = seen;
    // It is on its way out, because nobody needed it a moment ago: it comes back once it is gone.
    if ([instance, namespace].some((each) => each?.metadata.deletedAt !== undefined)) {
      return beingRemoved(service);
    }
    // The setting has been taken away: what is there stays for those who need it.
    const isNamed = definitionFor(service, this.#options.definitions) !== undefined;
    if (!isNamed) return instance === undefined ? undefined : notReady(service, instance);
    const writer = await this.#writerOf(service);
    if (typeof writer === "string") {
      const waits = instance === undefined || notReady(service, instance) !== undefined;
      return waits ? notInstalled(service, writer) : undefined;
    }
    const { definition, author } = writer;
    const installation = await this.#options.store.installationId();
    const input = { service, definition, author, needers, installation };
    const { seen: seenNamespace } = await this.#workloads.read(namespaceName(service));
    await this.#workloads.write(namespaceWorkload(input), { seen: seenNamespace, fence });
    await this.#workloads.write(serviceWorkload(input), { seen: instance?.metadata, fence });
    const written = await this.#workloads.instance(serviceName(service));
    return written === undefined ? beingRemoved(service) : notReady(service, written);
  }

  /** Resolves to whether nothing has to be waited for: it is gone, or somebody else uses it. */
  async #remove(
    service: SupportService,
    { instance, namespace }: SeenService,
    { fence, signal }: SettleOptions,
  ): Promise<boolean> {
    const author =
      (await this.#workloads.namedAuthor(this.#options.user)) ?? (instance ?? namespace)?.status.author;
    if (instance !== undefined) {
      if (await this.#places.hasEntry(service)) return true;
      const isLeaving = instance.metadata.deletedAt !== undefined || author === undefined;
      const isUsed = !isLeaving && (await this.#questions.isUsedByOthers(service, { author, signal }));
      if (isUsed !== false) return isUsed === true;
      const { resourceVersion } = instance.metadata;
      const isGone = await this.#workloads.remove(serviceName(service), { author, fence, resourceVersion });
      if (!isGone) return false;
    }
    const resourceVersion = namespace?.metadata.resourceVersion;
    return this.#workloads.remove(namespaceName(service), { author, fence, resourceVersion });
  }

  /** The definition of a service and in whose name it is installed, or why that is not known. */
  async #writerOf(
    service: SupportService,
  ): Promise<{ readonly definition: WorkloadDefinition; readonly author: Author } | string> {
    const name = definitionFor(service, this.#options.definitions) ?? "";
    const definition = await this.#objects.get(WorkloadDefinition, name);
    if (definition === undefined || definition.metadata.deletedAt !== undefined) {
      return `There is no WorkloadDefinition "${name}", which the settings of the server name for it.`;
    }
    const author = (await this.#workloads.namedAuthor(this.#options.user)) ?? definition.status.author;
    return author === undefined ? nobodyText(name) : { definition, author };
  }
}

/** The workloads of a service as they were when it was decided about. */
interface SeenService {
  readonly instance: WorkloadInstance | undefined;
  readonly namespace: WorkloadInstance | undefined;
}
