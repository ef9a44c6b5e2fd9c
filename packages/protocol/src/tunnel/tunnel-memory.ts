import { HeldBytes } from "./held-bytes.ts";
import { defaultTunnelLimits } from "./tunnel-limits.ts";
import { WindowBudget } from "./window-budget.ts";

/**
 * What may wait unread in streams, and what their windows may grow by. Tunnels to the same place share one, or whoever
 * opens many of them could have as much of it as they like.
 */
export class TunnelMemory {
  readonly held: HeldBytes;
  readonly budget: WindowBudget;

  constructor(maxBufferedBytes: number = defaultTunnelLimits.maxBufferedBytes) {
    this.held = new HeldBytes(maxBufferedBytes);
    this.budget = new WindowBudget(maxBufferedBytes);
  }
}
