import type { Clock, Logger } from "@bowline/core";

import type { Replica } from "@bowline/store";
import { dialReplica } from "./dial-replica.ts";
import { RelayLink } from "./relay-link.ts";
import type { ReplicaTokens } from "./replica-tokens.ts";

export interface RelayLinksOptions {
  /** The CA of the installation. */
  readonly caPem: string;
  readonly tokens: Pick<ReplicaTokens, "sign">;
  readonly find: (id: string) => Replica | undefined;
  /** The replica takes no more requests, or is gone. */
  readonly onLeft: (id: string) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The links to other replicas, one to each that is needed. */
export class RelayLinks {
  readonly #options: RelayLinksOptions;
  readonly #byReplica = new Map<string, RelayLink>();
  /** To replicas that are gone, until what was under way there has ended. */
  readonly #retired = new Set<RelayLink>();
  #isClosing = false;

  constructor(options: RelayLinksOptions) {
    this.#options = options;
  }

  /** To how many there is a connection. */
  get connected(): number {
    return [...this.#byReplica.values()].filter(({ tunnel }) => tunnel !== undefined).length;
  }

  /** Undefined for a replica that nobody knows. */
  to(id: string): RelayLink | undefined {
    const link = this.#byReplica.get(id);
    const replica = this.#options.find(id);
    if (link !== undefined || replica === undefined || this.#isClosing) return link;
    const created = this.#create(replica);
    this.#byReplica.set(id, created);
    return created;
  }

  /** A replica that has gone does not come back under its name. */
  retain(ids: ReadonlySet<string>): void {
    for (const [id, link] of this.#byReplica) {
      if (ids.has(id)) continue;
      this.#byReplica.delete(id);
      void this.#retire(link);
    }
  }

  /** Lets no new requests begin; resolves when those under way are complete. */
  async drain(reason: string): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#all().map((link) => link.drain(reason)));
  }

  close(): void {
    this.#isClosing = true;
    for (const link of this.#all()) link.close();
  }

  async #retire(link: RelayLink): Promise<void> {
    this.#retired.add(link);
    await link.drain("The replica is going away.");
    this.#retired.delete(link);
    link.close();
  }

  #all(): RelayLink[] {
    return [...this.#byReplica.values(), ...this.#retired];
  }

  #create({ id, url }: Replica): RelayLink {
    const { caPem, tokens, onLeft, clock, logger } = this.#options;
    return new RelayLink({
      replica: id,
      dial: async (signal) => dialReplica({ url, caPem, token: await tokens.sign(id), signal }),
      onLeft: () => onLeft(id),
      clock,
      logger,
    });
  }
}
