import type { EngineContext } from "./engine-context.ts";

const firstDelayMs = 50;
const longestDelayMs = 2_000;

/** Looks again and again until there is something to see; undefined when the time is over. */
export async function until<T>(
  { clock, signal }: Pick<EngineContext, "clock" | "signal">,
  limitMs: number,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const endMs = clock.monotonicMs() + limitMs;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
    const seen = await look();
    if (seen !== undefined) return seen;
    const leftMs = endMs - clock.monotonicMs();
    if (leftMs <= 0) return undefined;
    await clock.sleep(Math.min(delayMs, leftMs), signal);
  }
}
