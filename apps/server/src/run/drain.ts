import { LinkedAbortController, type Clock } from "@bowline/core";

import type { ServerConfig } from "../config/server-config.ts";
import type { Background } from "./start-background.ts";
import type { Front } from "./open-front.ts";

export interface DrainOptions {
  readonly config: Pick<ServerConfig, "drainDelay" | "drainTime">;
  readonly front: Pick<Front, "close" | "isListening">;
  readonly background: Pick<Background, "stop">;
  readonly clock: Clock;
  /** Aborts when the shutdown has no more time for this. */
  readonly limit: AbortSignal;
}

/**
 * Readiness has failed since the shutdown began. After the delay nothing new is accepted, watches are told to go
 * elsewhere, and requests and controllers finish, side by side, within the drain time.
 */
export async function drain({ config, front, background, clock, limit }: DrainOptions): Promise<void> {
  if (config.drainDelay > 0 && front.isListening) await clock.sleep(config.drainDelay, limit);
  using cut = new LinkedAbortController(limit);
  const cancel = clock.after(config.drainTime, () => cut.abort());
  try {
    await Promise.all([front.close(cut.signal), background.stop()]);
  } finally {
    cancel();
  }
}
