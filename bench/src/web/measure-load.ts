import { firstLoadGzipBytes, pageFolder } from "@bowline/test-browser";

import type { BenchmarkContext } from "../benchmark.ts";
import { median } from "../median.ts";
import { paintedAt } from "./in-page.ts";
import type { Stage } from "./stage.ts";

export interface LoadMeasurement {
  readonly gzipBytes: number;
  /** Until the clusters of the fleet are painted, by somebody whose browser has nothing of the page yet. */
  readonly fleetPaintMs: number;
  /** The same of somebody who comes back. */
  readonly fleetPaintAgainMs: number;
}

const loadsPerRound = 5;
const fleet = { selector: "main", text: "cloud" };

export async function measureLoad(
  stage: Stage,
  { rounds, progress }: BenchmarkContext,
): Promise<LoadMeasurement> {
  progress("the fleet is opened");
  const first: number[] = [];
  const again: number[] = [];
  for (let load = 0; load < rounds * loadsPerRound; load += 1) {
    await using visit = await stage.signIn();
    const session = await visit.context.newCDPSession(visit.page);
    await session.send("Network.clearBrowserCache");
    await visit.page.goto(visit.address("/"), { waitUntil: "commit" });
    first.push(await visit.page.evaluate(paintedAt, fleet));
    await visit.page.goto(visit.address("/"), { waitUntil: "commit" });
    again.push(await visit.page.evaluate(paintedAt, fleet));
  }
  return {
    gzipBytes: firstLoadGzipBytes(pageFolder),
    fleetPaintMs: median(first),
    fleetPaintAgainMs: median(again),
  };
}
