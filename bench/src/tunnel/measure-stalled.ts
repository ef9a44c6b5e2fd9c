import { setTimeout as sleep } from "node:timers/promises";

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

const comparisonsPerRound = 5;

/** Each beside a stalled one is compared with the two alone, before and after it: the machine's mood changes slowly. */
export async function measureStalled(
  { context, ways, load }: Stage,
  { target }: Way,
): Promise<StalledMeasurement> {
  context.progress("a download beside one that nobody reads");
  const order: TransferOrder = { target, direction: "down", atOnce: 1 };
  const heldNow = (): Promise<number> => ways.server.metric("bowline_tunnel_held_bytes");
  const ratios: number[] = [];
  let heldBytes = 0;
  let before = await load.ask<number>("transfer", order);
  for (let count = 0; count < context.rounds * comparisonsPerRound; count++) {
    context.signal.throwIfAborted();
    await load.ask("stall", target);
    await untilStalled(heldNow, context.signal);
    const beside = await load.ask<number>("transfer", order);
    heldBytes = Math.max(heldBytes, await heldNow());
    await load.ask("endStall");
    const after = await load.ask<number>("transfer", order);
    ratios.push((2 * beside) / (before + after));
    before = after;
  }
  return { healthyBesideStalled: median(ratios), heldBytes };
}

/** What is on its way to who does not read fills its window and the buffers of sockets first; then nothing moves. */
async function untilStalled(heldNow: () => Promise<number>, signal: AbortSignal): Promise<void> {
  for (let last = -1; ;) {
    const held = await heldNow();
    if (held > 0 && held === last) return;
    last = held;
    await sleep(50, undefined, { signal });
  }
}
