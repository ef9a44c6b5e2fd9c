import type { Clock, Random, Shutdown } from "@bowline/core";

import type { Board } from "../live/board.ts";
import { whyNoOwnNetwork } from "../network/own-network.ts";
import { sitePlans } from "../site/site-plan.ts";
import { DemoFolder } from "./demo-folder.ts";
import { openDemoServer, requireFreePort, type DemoServer } from "./demo-server.ts";
import { DemoSite } from "./demo-site.ts";

export interface StageOptions {
  /** For everything that is written; what is in it from before is removed. */
  readonly folder: string;
  readonly port: number;
  /** How to get another port, for a sentence. */
  readonly portHint: string;
  readonly board: Board;
  /** Of the program. */
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** A server that answers, and clusters that are about to start and know nothing of it yet. */
export interface Stage {
  readonly folder: DemoFolder;
  readonly server: DemoServer;
  readonly sites: readonly DemoSite[];
}

/** Opens what the demo is played on. The signal ends what is still starting. */
export async function openStage(
  options: StageOptions,
  shutdown: Shutdown,
  signal: AbortSignal,
): Promise<Stage> {
  const { board, port, portHint } = options;
  const folder = new DemoFolder(options.folder);
  shutdown.add("the folder", () => folder.remove());
  await requireFreePort(port, portHint);
  const why = await whyNoOwnNetwork();
  if (why !== undefined) tellWhy(board, why);
  const hasCable = why === undefined;
  const sites = sitePlans.map(({ name }, index) => {
    const isRemote = hasCable && index === 0;
    return new DemoSite({ ...options, name, isRemote, folder: folder.path, signal });
  });
  try {
    const server = await openDemoServer({ ...options, folder, hasCable, shutdown, signal });
    return { folder, server, sites };
  } finally {
    // After the server, so that agents leave before it does: it would wait for them. All at once, as somebody waits.
    shutdown.add("the clusters", async () => void (await Promise.all(sites.map((site) => site.close()))));
  }
}

function tellWhy(board: Board, why: string): void {
  const note = `The agent of edge would run in a network that nobody can call into, but ${why}.`;
  board.update((state) => ({ ...state, notes: [...state.notes, note] }));
}
