import type { Client } from "@bowline/client";
import { BowlineError, withDeadline } from "@bowline/core";

import type { Board } from "../live/board.ts";
import { withKnownCluster } from "../live/demo-state.ts";
import { openPlainSite, openRemoteSite, type OpenSite, type OpenSiteOptions } from "./open-site.ts";

const connectLimitMs = 30_000;

export interface DemoSiteOptions extends OpenSiteOptions {
  readonly board: Board;
  /** Whether it should have a network of its own. */
  readonly isRemote: boolean;
}

/** A cluster of the demo from its start to its end. */
export class DemoSite {
  readonly #options: DemoSiteOptions;
  #open: Promise<OpenSite>;

  constructor(options: DemoSiteOptions) {
    this.#options = options;
    this.#open = options.isRemote ? this.#openRemote() : this.#openPlain();
    // Told by `connect`, or to nobody when it is closed before.
    this.#open.catch(() => {});
  }

  /** Lets it join. Resolves when its agent is connected. */
  async connect(client: Client): Promise<void> {
    const open = await this.#open;
    try {
      await this.#join(open, client);
    } catch (error) {
      if (open.server === undefined || this.#options.signal.aborted) throw error;
      await open.close();
      this.#open = this.#openInstead(error);
      await this.#join(await this.#open, client);
    }
  }

  async close(): Promise<void> {
    const open = await this.#open.catch(() => undefined);
    await open?.close();
  }

  async #join({ site, server }: OpenSite, client: Client): Promise<void> {
    const { signal, clock, name } = this.#options;
    await withDeadline(
      async (within) => {
        const [{ token }] = await Promise.all([client.createJoinToken(name, { signal: within }), site.ready]);
        site.join(token, server);
        await site.connected;
      },
      { clock, limitMs: connectLimitMs, signal, onTimeout: () => notConnected(name) },
    );
  }

  async #openRemote(): Promise<OpenSite> {
    try {
      const open = await openRemoteSite(this.#options);
      this.#tellPlace("a network with no way in");
      return open;
    } catch (error) {
      if (this.#options.signal.aborted) throw error;
      return this.#openInstead(error);
    }
  }

  async #openPlain(): Promise<OpenSite> {
    this.#tellPlace("a plain process");
    return openPlainSite(this.#options);
  }

  /** The demo goes on without a network of its own, and says so. */
  #openInstead(error: unknown): Promise<OpenSite> {
    const { name, board } = this.#options;
    const note = `${name} has no network of its own: ${BowlineError.from(error).message}`;
    board.update((state) => ({ ...state, notes: [...state.notes, note] }));
    return this.#openPlain();
  }

  #tellPlace(place: string): void {
    const { name, board } = this.#options;
    board.update((state) => withKnownCluster(state, name, { place }));
  }
}

function notConnected(name: string): BowlineError {
  const seconds = connectLimitMs / 1000;
  return new BowlineError("Timeout", `The agent of the cluster ${name} did not connect within ${seconds} s.`);
}
