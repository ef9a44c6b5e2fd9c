import { median } from "../median.ts";
import type { TransferOrder } from "./load-order.ts";
import type { Stage } from "./stage.ts";
import type { Way } from "./ways.ts";

/** A download beside one that nobody reads. */
export interface StalledMeasurement {
  /** Of its speed, against a download alone. */
  readonly healthyBesideStalled: number;
  /** The most that the stalled one held in the server. */
  readonly heldBytes: number;
}

const comparisonsPerRound = 2;

export async function measureStalled(
  { context, ways, load }: Stage,
  { target }: Way,
): Promise<StalledMeasurement> {
  context.progress("a download beside one that nobody reads");
  const order: TransferOrder = { target, direction: "down", atOnce: 1 };
  const ratios: number[] = [];
  let heldBytes = 0;
  for (let count = 0; count < context.rounds * comparisonsPerRound; count++) {
    context.signal.throwIfAborted();
    const alone = await load.ask<number>("transfer", order);
    await load.ask("stall", target);
    ratios.push((await load.ask<number>("transfer", order)) / alone);
    heldBytes = Math.max(heldBytes, await ways.server.metric("bowline_tunnel_held_bytes"));
    await load.ask("endStall");
  }
  return { healthyBesideStalled: median(ratios), heldBytes };
}
