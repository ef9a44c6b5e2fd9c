import { Gateway, WorkloadDefinition, WorkloadInstance, type Author } from "@bowline/api";
import { hasCode } from "@bowline/core";
import { TerminalError } from "@bowline/runtime";
import type { Fence, ObjectStore } from "@bowline/store";

import { findObjects } from "../workloads/find-objects.ts";
import { entryName, entryNamespace, madeForGateways, type Entry } from "./entry.ts";
import { entryHosts, entryOf, inOrder, isSameEntry, type EntryMember } from "./entry-members.ts";
import { askedIssuers, knownPlaces, type EntryHost } from "./entry-objects.ts";
import { entryInRoom } from "./entry-room.ts";
import type { GatewayApis } from "./gateway-apis.ts";
import type { KnownIssuers } from "./host-certificate.ts";
import { OwnedWorkloads } from "./owned-workloads.ts";
import type { ListenerPlace } from "./place-listeners.ts";

/** What has to be known of a cluster to write its entries. */
export interface EntryFacts {
  readonly apis: GatewayApis;
  readonly issuers: KnownIssuers | undefined;
}

/** An entry as one of its Gateways has to do with it. */
export interface EntryShare {
  /** Whoever its objects are written and read as. */
  readonly author: Author | undefined;
  /** The hosts that it listens for now. */
  readonly hosts: readonly EntryHost[];
  /** Those of them that the Gateway has. */
  readonly own: readonly EntryHost[];
  /** Those that it has and for which the entry has no room. */
  readonly withoutRoom: readonly string[];
  /** Where listeners are, by what was written last. */
  readonly places: ReadonlyMap<string, ListenerPlace>;
  /** Whether the Gateway is the one that does what only has to be done once. */
  readonly isOldest: boolean;
}

export interface EntriesOptions {
  /** In whose name entries are written; missing for whoever wrote the oldest of their Gateways and may do it. */
  readonly user: string | undefined;
  /** Whether any grant lets somebody into a cluster. */
  readonly mayReach: (author: Author, cluster: string) => Promise<boolean>;
}

/** So often what others write at the same moment is looked at anew. */
const attempts = 5;

/**
 * Keeps the entries of clusters as the Gateways need them that use them. Several Gateways write to one entry, maybe on
 * several replicas: each says in its status that it uses the entry before it writes to it, and writes only on top of what
 * it has seen before it looked for the others, so that no host is lost whoever comes second.
 */
export class Entries {
  readonly #objects: ObjectStore;
  readonly #workloads: OwnedWorkloads;
  readonly #options: EntriesOptions;

  constructor(objects: ObjectStore, options: EntriesOptions) {
    this.#objects = objects;
    this.#workloads = new OwnedWorkloads(objects);
    this.#options = options;
  }

  /**
   * Writes the entries of a cluster, and removes those that nobody uses. Without facts, because the cluster cannot be
   * reached, only the latter. Resolves to whether all that are to go are gone. Of an entry that somebody has to put right
   * first, those are told who use it: with `own`, nobody else is held up by another one than that.
   */
  async settle(
    cluster: string,
    facts: EntryFacts | undefined,
    { author, fence }: { readonly author: Author | undefined; readonly fence: Fence | undefined },
    own?: Entry,
  ): Promise<boolean> {
    let isSettled = true;
    for (const entry of await this.#entriesIn(cluster)) {
      try {
        isSettled = (await this.#settleOne(entry, facts, { author, fence })) && isSettled;
      } catch (error) {
        if (own === undefined || isSameEntry(entry, own) || !(error instanceof TerminalError)) throw error;
        isSettled = false;
      }
    }
    return isSettled;
  }

  /** What one Gateway has to do with an entry that it uses. */
  async shareOf(entry: Entry, gateway: Gateway, { apis, issuers }: EntryFacts): Promise<EntryShare> {
    const { objects } = await this.#workloads.read(entryName(entry));
    const places = knownPlaces(entry, objects);
    const members = await this.#membersOf(entry);
    const wanted = entryHosts(members, issuers, askedIssuers(objects));
    const { hosts } = entryInRoom({ entry, apis, hosts: wanted, known: places });
    const isOwn = ({ host }: EntryHost): boolean => gateway.spec.hosts.includes(host);
    const [oldest] = members.toSorted(inOrder);
    return {
      author: await this.#authorOf(members, entry),
      hosts,
      own: hosts.filter(isOwn),
      withoutRoom: wanted.filter((each) => isOwn(each) && !hosts.includes(each)).map(({ host }) => host),
      places,
      isOldest: oldest?.gateway.metadata.name === gateway.metadata.name,
    };
  }

  /** Those of all Gateways that use the entry now, wherever their certificates come from. */
  async hostsOf(entry: Entry): Promise<readonly EntryHost[]> {
    return entryHosts(await this.#membersOf(entry), undefined);
  }

  async #settleOne(
    entry: Entry,
    facts: EntryFacts | undefined,
    { author, fence }: { readonly author: Author | undefined; readonly fence: Fence | undefined },
  ): Promise<boolean> {
    const name = entryName(entry);
    for (let attempt = 1; ; attempt += 1) {
      // First what is there, then who needs it: see above.
      const { seen, objects } = await this.#workloads.read(name);
      const members = await this.#membersOf(entry);
      if (members.length === 0) {
        const remover = (await this.#workloads.namedAuthor(this.#options.user)) ?? author;
        return this.#workloads.remove(name, { author: remover, fence });
      }
      const writer = await this.#authorOf(members, entry);
      if (facts === undefined || writer === undefined) return true;
      const hosts = entryHosts(members, facts.issuers, askedIssuers(objects));
      const known = knownPlaces(entry, objects);
      const workload = {
        name,
        cluster: entry.cluster,
        labels: { [madeForGateways]: "entry" },
        annotations: { "bowline.dev/class": entry.class, "bowline.dev/visibility": entry.visibility },
        namespace: entryNamespace(entry),
        objects: entryInRoom({ entry, apis: facts.apis, hosts, known }).objects,
        author: writer,
      };
      try {
        if (await this.#isLeaving(name)) return false;
        await this.#workloads.write(workload, { seen, fence });
        return true;
      } catch (error) {
        if (!hasCode(error, "Conflict") || attempt === attempts) throw error;
      }
    }
  }

  /** It is on its way out, because nobody used it a moment ago: it comes back once it is gone. */
  async #isLeaving(name: string): Promise<boolean> {
    const instance = await this.#objects.get(WorkloadInstance, name);
    return instance?.metadata.deletedAt !== undefined;
  }

  /** Those that are there, and those that are needed. Definitions are the first to come and the last to go. */
  async #entriesIn(cluster: string): Promise<Entry[]> {
    const entries: Entry[] = [];
    const labels = [
      { key: madeForGateways, operator: "in" as const, values: ["entry"] },
      { key: "bowline.dev/cluster", operator: "in" as const, values: [cluster] },
    ];
    for (const { metadata } of await findObjects(this.#objects, WorkloadDefinition, { labels })) {
      const visibility =
        metadata.annotations["bowline.dev/visibility"] === "internal" ? "internal" : "public";
      const className = metadata.annotations["bowline.dev/class"];
      if (className !== undefined) entries.push({ cluster, class: className, visibility });
    }
    for (const gateway of await this.#gatewaysIn(cluster)) {
      const entry = entryOf(gateway, cluster);
      if (entry !== undefined && !entries.some((each) => isSameEntry(each, entry))) entries.push(entry);
    }
    return entries;
  }

  async #membersOf(entry: Entry): Promise<EntryMember[]> {
    const members: EntryMember[] = [];
    for (const gateway of await this.#gatewaysIn(entry.cluster)) {
      const used = entryOf(gateway, entry.cluster);
      if (used === undefined || !isSameEntry(used, entry)) continue;
      members.push({ gateway, namespace: await this.#namespaceOf(gateway) });
    }
    return members;
  }

  /** Where the Secret of its certificate is; of others nobody needs to know. */
  async #namespaceOf({ spec }: Gateway): Promise<string> {
    if (spec.tls.certificate !== "secret") return "";
    const instance = await this.#objects.get(WorkloadInstance, spec.instance);
    return instance?.spec.namespace ?? "default";
  }

  #gatewaysIn(cluster: string): Promise<Gateway[]> {
    return findObjects(this.#objects, Gateway, { fields: `status.clusters.cluster=${cluster}` });
  }

  /** One whose grant was taken back keeps no other Gateway of the entry from being served. */
  async #authorOf(members: readonly EntryMember[], { cluster }: Entry): Promise<Author | undefined> {
    const { user, mayReach } = this.#options;
    const named = await this.#workloads.namedAuthor(user);
    if (named !== undefined) return named;
    const authors = members.toSorted(inOrder).flatMap(({ gateway: { status } }) => status.author ?? []);
    for (const author of authors) if (await mayReach(author, cluster)) return author;
    return authors[0];
  }
}
