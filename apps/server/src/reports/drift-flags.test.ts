import { describe, expect, test } from "vitest";

import { DriftFlags } from "./drift-flags.ts";
import type { PlacementHealth } from "./placement-health.ts";

function health(resourceVersion: string | undefined, isDrifted: boolean): PlacementHealth {
  const drifted = isDrifted ? { changedBy: "kubectl" } : undefined;
  return {
    resources: new Map([["web", { verdict: undefined, resourceVersion, drifted }]]),
    againMs: undefined,
  };
}

const marked = new Set(["web"]);
const unmarked = new Set<string>();

function isTold(
  flags: DriftFlags,
  seen: PlacementHealth,
  flagged: ReadonlySet<string>,
  nowMs: number,
): boolean {
  const { resources } = flags.unsettled("p", seen, flagged, nowMs);
  return resources.get("web")?.drifted !== undefined;
}

describe("drift", () => {
  test("is told until the controller has dealt with it, and not again before the agent has reported", () => {
    const flags = new DriftFlags();
    const edited = health("7", true);
    expect(isTold(flags, edited, unmarked, 0)).toBe(true);
    flags.note("p", edited, marked, 0);
    expect(isTold(flags, edited, marked, 60_000)).toBe(true);
    flags.note("p", edited, marked, 60_000);
    expect(isTold(flags, edited, unmarked, 60_100)).toBe(false);
    expect(flags.unsettled("p", edited, unmarked, 60_100).againMs).toBe(9_900);
  });

  test("is told again for every other state of the object", () => {
    const flags = new DriftFlags();
    flags.note("p", health("7", true), marked, 0);
    expect(isTold(flags, health("8", true), unmarked, 100)).toBe(true);
    flags.note("p", health("8", false), unmarked, 100);
    expect(isTold(flags, health("7", true), unmarked, 200)).toBe(true);
  });

  test("is told again when nothing comes of it", () => {
    const flags = new DriftFlags();
    flags.note("p", health("7", true), marked, 0);
    flags.note("p", health("7", false), unmarked, 5_000);
    expect(isTold(flags, health("7", true), unmarked, 9_999)).toBe(false);
    expect(isTold(flags, health("7", true), unmarked, 10_000)).toBe(true);
  });

  test("of an object that is gone is over when there is one again", () => {
    const flags = new DriftFlags();
    const gone = health(undefined, true);
    flags.note("p", gone, marked, 0);
    expect(isTold(flags, gone, unmarked, 100)).toBe(false);
    flags.note("p", health("9", false), unmarked, 200);
    expect(isTold(flags, gone, unmarked, 300)).toBe(true);
    flags.note("p", gone, marked, 300);
    flags.forget("p");
    expect(isTold(flags, gone, unmarked, 400)).toBe(true);
  });
});
