import type { Clock } from "@bowline/core";

import { inOwnNetwork, OwnNetwork } from "../network/own-network.ts";
import { Site } from "../site/site.ts";

export interface OpenSiteOptions {
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
export interface OpenSite {
  readonly site: Site;
  /** Where the server is, as seen from there, if not where it is for everybody. */
  readonly server: string | undefined;
  close(): Promise<void>;
}

/** As a process like any other. */
export function openPlainSite(options: OpenSiteOptions): OpenSite {
  const site = new Site({ ...options, wrapper: [] });
  return { site, server: undefined, close: () => site.stop() };
}

/** In a network from which one can call the server, and into which nobody can call. Rejects where that fails. */
export async function openRemoteSite(options: OpenSiteOptions): Promise<OpenSite> {
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
