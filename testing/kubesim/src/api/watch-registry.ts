import type { Socket } from "node:net";

/** What is known of a request when it comes in; faults choose by it. */
export interface RequestTraits {
  readonly verb: string;
  /** `pods` or `deployments.apps`; absent for paths that are no resources. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly userAgent: string;
  /** With its query. */
  readonly path: string;
}

/** A watch that is open now. */
export interface OpenWatch {
  readonly traits: RequestTraits;
  readonly socket: Socket | null;
  /** Cuts the connection as a broken network would: no last event, no goodbye. */
  drop(): void;
  /** Keeps the connection open but sends nothing until `resume`; events wait and count against the limit. */
  stall(): void;
  resume(): void;
  /** Sends half of the next event, then cuts the connection. */
  cutNextLine(): void;
}

/** Every open watch of the server. */
export class WatchRegistry {
  readonly #open = new Set<OpenWatch>();

  get size(): number {
    return this.#open.size;
  }

  add(watch: OpenWatch): void {
    this.#open.add(watch);
  }

  remove(watch: OpenWatch): void {
    this.#open.delete(watch);
  }

  matching(matches: (traits: RequestTraits) => boolean): OpenWatch[] {
    return [...this.#open].filter((watch) => matches(watch.traits));
  }
}
