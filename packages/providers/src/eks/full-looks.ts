import { LruMap } from "@bowline/core";

import { AwsError } from "./aws/aws-api.ts";
import type { EksRound } from "./eks-round.ts";

/** So long what is not watched is believed to be there: clusters that work are looked at each five minutes. */
const believedMs = 4 * 60_000;
const mostClusters = 1_000;
const ofMissingThings = /NotFound|NoSuchEntity/u;

/** When all of a cluster is to be looked at. In memory only: a process that knows of no look has one. */
export class FullLooks {
  readonly #nextMs = new LruMap<string, number>(mostClusters);

  isDue({ work, records }: EksRound): boolean {
    const nextMs = this.#nextMs.get(work.cluster.id);
    if (nextMs === undefined) return records.get("cluster")?.attributes["isCompleted"] === true;
    const nowMs = work.clock.now();
    // The clock may have been set back.
    return nowMs >= nextMs || nowMs < nextMs - believedMs;
  }

  /** All that is not watched was there. */
  done({ work }: EksRound): void {
    this.#nextMs.set(work.cluster.id, work.clock.now() + believedMs);
  }

  /** A call that names what there is not any more says that something was taken away. */
  failed({ work }: EksRound, error: unknown): void {
    if (!(error instanceof AwsError)) return;
    if (!ofMissingThings.test(error.code) && !error.message.includes("does not exist")) return;
    this.#nextMs.set(work.cluster.id, 0);
  }
}
