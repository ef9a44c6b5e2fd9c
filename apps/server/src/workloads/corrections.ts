import type { ObjectOf, WorkloadPlacement } from "@bowline/api";
import type { Clock } from "@bowline/core";
import type { ClusterObject } from "@bowline/store";
import {
  judgeCorrection,
  noCorrections,
  withCorrection,
  type CorrectionHistory,
  type CorrectionVerdict,
  type ObjectResult,
} from "@bowline/workloads";

import { resourceText } from "./placement-status.ts";

type Placement = ObjectOf<typeof WorkloadPlacement>;
type ResourceStatus = Placement["status"]["resources"][number];

interface DriftedObject extends ClusterObject {
  readonly changedBy: string;
}

/** What is to be done about the objects of a placement that somebody else has changed. */
export interface Drift {
  /** Those to be set right now. */
  readonly due: readonly DriftedObject[];
  /** Those that somebody sets back each time, by `resourceText`. */
  readonly contested: ReadonlyMap<string, DriftedObject>;
  /** When the next one is due; `Infinity` for none. */
  readonly againMs: number;
}

export const noDrift: Drift = { due: [], contested: new Map(), againMs: Infinity };

/**
 * Remembers how often objects were set right, by placement: a controller that sets a field back each time is not fought
 * for ever. A new generation of the placement begins anew, as does another process.
 */
export class Corrections {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #histories = new Map<
    string,
    { readonly generation: number; readonly objects: Map<string, CorrectionHistory> }
  >();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  driftOf(placement: Placement): Drift {
    const nowMs = this.#clock.monotonicMs();
    const due: DriftedObject[] = [];
    const contested = new Map<string, DriftedObject>();
    let againMs = Infinity;
    for (const object of driftedObjects(placement.status.resources)) {
      const judged = this.#judge(placement, object, nowMs);
      if (judged.verdict === "now") due.push(object);
      else if (judged.verdict === "later") againMs = Math.min(againMs, judged.afterMs);
      else contested.set(resourceText(object), object);
    }
    return { due, contested, againMs };
  }

  /** Remembers those that were set right, and returns how many. One that the cluster refused is not fought about: nobody has set it back. */
  note(placement: Placement, due: readonly DriftedObject[], results: readonly ObjectResult[]): number {
    if (due.length === 0) return 0;
    const applied = new Set(results.filter(({ state }) => state === "applied").map(resourceText));
    const corrected = due.filter((object) => applied.has(resourceText(object)));
    const nowMs = this.#clock.monotonicMs();
    const objects = this.#historiesOf(placement) ?? new Map<string, CorrectionHistory>();
    for (const object of corrected) {
      const key = resourceText(object);
      objects.set(key, withCorrection(objects.get(key) ?? noCorrections, nowMs, [object.changedBy]));
    }
    const { id, generation } = placement.metadata;
    this.#histories.set(id, { generation, objects });
    return corrected.length;
  }

  forget(placementId: string): void {
    this.#histories.delete(placementId);
  }

  #judge(placement: Placement, object: DriftedObject, nowMs: number): CorrectionVerdict {
    const history = this.#historiesOf(placement)?.get(resourceText(object)) ?? noCorrections;
    return judgeCorrection(history, nowMs);
  }

  #historiesOf({ metadata: { id, generation } }: Placement): Map<string, CorrectionHistory> | undefined {
    const known = this.#histories.get(id);
    return known?.generation === generation ? known.objects : undefined;
  }
}

function driftedObjects(resources: readonly ResourceStatus[]): DriftedObject[] {
  return resources.flatMap(({ group, kind, namespace = "", name, drifted }) =>
    drifted === undefined ? [] : [{ group, kind, namespace, name, changedBy: drifted.changedBy }],
  );
}
