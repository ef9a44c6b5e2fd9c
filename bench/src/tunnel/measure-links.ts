import type { LoadResult } from "./load-order.ts";
import { takeRequests, takeTransfers, type Stage } from "./stage.ts";
import type { Turns } from "./turns.ts";
import type { Backend, Way } from "./ways.ts";

/** A gigabit, as far as a continent is wide; without any delay, what the relay itself can do. */
const megabitsPerSecond = 1000;
const roundTripsMs = [0, 10, 50, 100];

/** Bowline with a link between agent and server, and TCP over the same. */
export interface LinkMeasurement {
  readonly roundTripMs: number;
  readonly some: Turns<LoadResult>;
  readonly down: Turns<number>;
  readonly up: Turns<number>;
}

export async function measureLinks(stage: Stage, backend: Backend): Promise<LinkMeasurement[]> {
  const { ways, context } = stage;
  const measured: LinkMeasurement[] = [];
  for (const roundTripMs of roundTripsMs) {
    context.progress(`${roundTripMs} ms between agent and server`);
    const link = { roundTripMs, megabitsPerSecond };
    await using far = ways.branch();
    const both: Way[] = [await far.overLink(backend, link), await far.bowline(backend, link)];
    measured.push({
      roundTripMs,
      some: await takeRequests(stage, both, 32),
      down: await takeTransfers(stage, both, { direction: "down", atOnce: 1 }),
      up: await takeTransfers(stage, both, { direction: "up", atOnce: 1 }),
    });
  }
  return measured;
}
