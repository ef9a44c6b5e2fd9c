import type { PlacementHealth, ResourceHealth } from "./placement-health.ts";

interface Flag {
  /** The state of the object that drifted; empty for one that is gone. */
  readonly resourceVersion: string;
  /** When it was last seen to be flagged; monotonic. */
  readonly seenMs: number;
}

/** So long the agent may take to report an object that was set right. */
const reportMs = 10_000;

/**
 * Remembers which drift the controller of placements was told of, by placement and object. The controller takes the
 * mark from an object that it has set right, and the agent reports that a moment later: until then the same state of the
 * object must not be told as drift again, or it would be set right over and over.
 */
export class DriftFlags {
  readonly #flags = new Map<string, Map<string, Flag>>();

  /** Without what was dealt with: `flagged` are the objects that are marked in the status at this moment. */
  unsettled(
    placement: string,
    health: PlacementHealth,
    flagged: ReadonlySet<string>,
    nowMs: number,
  ): PlacementHealth {
    const known = this.#flags.get(placement);
    if (known === undefined) return health;
    const resources = new Map<string, ResourceHealth>();
    let { againMs } = health;
    for (const [key, resource] of health.resources) {
      const flag = known.get(key);
      const isDealtWith =
        resource.drifted !== undefined &&
        !flagged.has(key) &&
        flag?.resourceVersion === (resource.resourceVersion ?? "") &&
        nowMs - flag.seenMs < reportMs;
      resources.set(key, isDealtWith ? { ...resource, drifted: undefined } : resource);
      if (isDealtWith) againMs = Math.min(againMs ?? Infinity, flag.seenMs + reportMs - nowMs);
    }
    return { resources, againMs };
  }

  /** The status was written with this health, and these objects are marked in it. */
  note(placement: string, { resources }: PlacementHealth, flagged: ReadonlySet<string>, nowMs: number): void {
    const known = this.#flags.get(placement) ?? new Map<string, Flag>();
    for (const [key, { resourceVersion = "" }] of resources) {
      if (flagged.has(key)) known.set(key, { resourceVersion, seenMs: nowMs });
      else if (known.get(key)?.resourceVersion !== resourceVersion) known.delete(key);
    }
    if (known.size > 0) this.#flags.set(placement, known);
    else this.#flags.delete(placement);
  }

  forget(placement: string): void {
    this.#flags.delete(placement);
  }
}
