import type { Client } from "@bowline/client";
import { BowlineError, withDeadline, type Clock } from "@bowline/core";

import { withKnownCluster, type Board } from "../live/demo-state.ts";
import { inOwnNetwork, OwnNetwork } from "../site/own-network.ts";
import { Site } from "../site/site.ts";

const connectLimitMs = 30_000;

interface DemoSiteOptions extends OpenSiteOptions {
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

  /** Resolves when it has its place on this machine: no network comes any more. */
  async placed(): Promise<void> {
    await this.#open.catch(() => undefined);
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

interface OpenSiteOptions {
  readonly name: string;
  /** Of the demo. */
  readonly folder: string;
  /** Of the server. */
  readonly port: number;
  readonly version: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A cluster that starts, and has not joined yet. */
interface OpenSite {
  readonly site: Site;
  /** Where the server is, as seen from there, if not where it is for everybody. */
  readonly server: string | undefined;
  close(): Promise<void>;
}

/** As a process like any other. */
function openPlainSite(options: OpenSiteOptions): OpenSite {
  const site = new Site({ ...options, wrapper: [] });
  return { site, server: undefined, close: () => site.stop() };
}

/** In a network from which one can call the server, and into which nobody can call. Rejects where that fails. */
async function openRemoteSite(options: OpenSiteOptions): Promise<OpenSite> {
  const site = new Site({ ...options, wrapper: inOwnNetwork });
  try {
    // Without a process there is a reason.
    if (site.pid === undefined) await site.ready;
    const network = await OwnNetwork.connect({ ...options, pid: site.pid ?? 0 });
    const close = async (): Promise<void> => {
      await site.stop();
      await network.close();
    };
    return { site, server: network.server, close };
  } catch (error) {
    await site.stop();
    throw error;
  }
}
