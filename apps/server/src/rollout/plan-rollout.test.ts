import { isDeepStrictEqual } from "node:util";

import type { Rollout, RolloutStatus } from "@bowline/api";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { planRollout, type RolloutCluster, type RolloutInput, type RolloutPlan } from "./plan-rollout.ts";

const id = (letter: string): string => `sha256:${letter.repeat(64)}`;
const [older, newer, newest] = [id("a"), id("b"), id("c")];
const minuteMs = 60_000;

function rolloutOf(change: Partial<Rollout> = {}): Rollout {
  return {
    waves: [],
    maxConcurrent: 500,
    maxFailures: 0,
    deadline: "10m",
    onFailure: "pause",
    offline: "skip",
    ...change,
  };
}

type Wave = Rollout["waves"][number];

const wave = ({ soak = "0s", approval = false, ...clusters }: Partial<Wave> & Wave["clusters"]): Wave => ({
  clusters,
  soak,
  approval,
});

/** Clusters that take what they are given, and become ready when they are told to. */
class Fleet {
  nowMs = 0;
  state: RolloutStatus | undefined;
  revision = newer;
  approved = { wave: 0, failures: 0 };
  readonly has = new Map<string, string>();
  readonly ready = new Set<string>();
  readonly offline = new Set<string>();
  readonly labels = new Map<string, Record<string, string>>();
  rollout: Rollout;
  names: string[];

  constructor(names: readonly string[], rollout: Partial<Rollout>) {
    this.names = [...names];
    this.rollout = rolloutOf(rollout);
    for (const name of names) this.has.set(name, older);
  }

  cluster(name: string): RolloutCluster {
    const hasChange = this.has.get(name) === this.revision;
    return {
      name,
      labels: this.labels.get(name) ?? {},
      isConnected: !this.offline.has(name),
      hasChange,
      isReady: hasChange && this.ready.has(name),
    };
  }

  /** Looks, and gives each cluster what it may have. */
  look(change: Partial<RolloutInput> = {}): RolloutPlan {
    const plan = planRollout({
      rollout: this.rollout,
      change: this.revision,
      revision: this.revision,
      clusters: this.names.map((name) => this.cluster(name)),
      state: this.state,
      present: older,
      approved: this.approved,
      nowMs: this.nowMs,
      ...change,
    });
    this.state = plan.state;
    const given = plan.state.phase === "RolledBack" ? (plan.state.from ?? "") : this.revision;
    for (const name of plan.open) {
      if (this.has.get(name) !== given) this.ready.delete(name);
      this.has.set(name, given);
    }
    return plan;
  }

  with(revision: string): string[] {
    return this.names.filter((name) => this.has.get(name) === revision);
  }

  becomeReady(...names: string[]): RolloutPlan {
    for (const name of names) this.ready.add(name);
    return this.look();
  }
}

describe("waves", () => {
  test("come one after the other, and the clusters in none of them last", () => {
    const fleet = new Fleet(["a", "b", "c", "d"], { waves: [wave({ count: 1 }), wave({ percent: 25 })] });
    const first = fleet.look();
    expect(fleet.with(newer)).toEqual(["a"]);
    expect(first.waiting.get("d")).toEqual({
      reason: "WaitingForWave",
      message: "It gets the change with wave 3 of 3; wave 1 is under way.",
    });
    fleet.becomeReady("a");
    expect(fleet.with(newer)).toEqual(["a", "b"]);
    fleet.becomeReady("b");
    expect(fleet.with(newer)).toEqual(["a", "b", "c", "d"]);
    expect(fleet.becomeReady("c", "d").state).toMatchObject({ phase: "Complete", underWay: [], failed: [] });
  });

  test("take clusters by their labels", () => {
    const selector = { matchLabels: { stage: "canary" }, matchExpressions: [] };
    const fleet = new Fleet(["a", "b", "c"], { waves: [wave({ selector })] });
    fleet.labels.set("b", { stage: "canary" });
    fleet.look();
    expect(fleet.with(newer)).toEqual(["b"]);
  });

  test("soak: the next begins when all have been ready for so long, and not when one was lost meanwhile", () => {
    const fleet = new Fleet(["a", "b"], { waves: [wave({ count: 1, soak: "5m" })] });
    fleet.look();
    expect(fleet.becomeReady("a")).toMatchObject({ againMs: 5 * minuteMs, state: { phase: "Soaking" } });
    fleet.nowMs = 4 * minuteMs;
    fleet.ready.delete("a");
    expect(fleet.look().state.phase).toBe("Progressing");
    expect(fleet.becomeReady("a")).toMatchObject({ againMs: 5 * minuteMs, state: { phase: "Soaking" } });
    fleet.nowMs = 9 * minuteMs;
    fleet.look();
    expect(fleet.with(newer)).toEqual(["a", "b"]);
  });

  test("wait for an agreement, the first of them too, which is one to this revision", () => {
    const fleet = new Fleet(["a", "b"], {
      waves: [wave({ count: 1, approval: true }), wave({ count: 1, approval: true })],
    });
    expect(fleet.look()).toMatchObject({ state: { phase: "WaitingForApproval", wave: 1 } });
    expect(fleet.with(newer)).toEqual([]);
    fleet.approved = { wave: 1, failures: 0 };
    fleet.look();
    expect(fleet.becomeReady("a")).toMatchObject({ state: { phase: "WaitingForApproval", wave: 2 } });
    expect(fleet.with(newer)).toEqual(["a"]);
    fleet.approved = { wave: 2, failures: 0 };
    fleet.look();
    expect(fleet.with(newer)).toEqual(["a", "b"]);
  });
});

test("no more clusters are under way at once than may be", () => {
  const fleet = new Fleet(["a", "b", "c", "d"], { maxConcurrent: 2 });
  fleet.look();
  expect(fleet.with(newer)).toEqual(["a", "b"]);
  fleet.becomeReady("b");
  expect(fleet.with(newer)).toEqual(["a", "b", "c"]);
});

describe("clusters that are not connected", () => {
  test("are not waited for, take no room, and catch up", () => {
    const fleet = new Fleet(["a", "b", "c"], { waves: [wave({ count: 2 })], maxConcurrent: 1 });
    fleet.offline.add("a");
    fleet.look();
    expect(fleet.with(newer)).toEqual(["a", "b"]);
    fleet.becomeReady("b");
    expect(fleet.with(newer)).toEqual(["a", "b", "c"]);
    expect(fleet.becomeReady("c").state.phase).toBe("Complete");
    // An hour later they have all the time that the others had.
    const late = new Fleet(["a", "b"], { waves: [wave({ count: 1 })] });
    late.offline.add("a");
    late.look();
    late.nowMs = 60 * minuteMs;
    late.offline.delete("a");
    expect(late.look().state.failed).toEqual([]);
  });

  test("are waited for where that is asked, until they have failed", () => {
    const fleet = new Fleet(["a", "b"], { waves: [wave({ count: 1 })], offline: "wait" });
    fleet.offline.add("a");
    expect(fleet.look().againMs).toBe(10 * minuteMs);
    expect(fleet.with(newer)).toEqual(["a"]);
    fleet.nowMs = 10 * minuteMs;
    expect(fleet.look().state).toMatchObject({ phase: "Paused", failed: ["a"] });
  });
});

describe("too many failures", () => {
  const failing = (rollout: Partial<Rollout>): Fleet => {
    const fleet = new Fleet(["a", "b", "c"], { waves: [wave({ count: 2 })], ...rollout });
    fleet.look();
    fleet.becomeReady("a");
    fleet.nowMs = 10 * minuteMs;
    fleet.look();
    return fleet;
  };

  test("stop it, until somebody lets it go on", () => {
    const fleet = failing({});
    expect(fleet.state).toMatchObject({ phase: "Paused", failed: ["b"] });
    expect(fleet.look()).toMatchObject({ againMs: Infinity });
    expect(fleet.look().waiting.get("c")?.reason).toBe("RolloutPaused");
    expect(fleet.with(newer)).toEqual(["a", "b"]);
    fleet.approved = { wave: 0, failures: 1 };
    fleet.look();
    expect(fleet.with(newer)).toEqual(["a", "b", "c"]);
  });

  test("are forgiven when the cluster becomes ready after all", () => {
    const fleet = failing({});
    fleet.becomeReady("b");
    expect(fleet.with(newer)).toEqual(["a", "b", "c"]);
  });

  test("within the limit do not stop it", () => {
    const fleet = failing({ maxFailures: 1 });
    expect(fleet.with(newer)).toEqual(["a", "b", "c"]);
    expect(fleet.becomeReady("c").state.phase).toBe("Complete");
  });

  test("bring all back, once, and only the next revision is taken, or this one when somebody wants it", () => {
    const fleet = failing({ onFailure: "rollback" });
    expect(fleet.state).toMatchObject({ phase: "RolledBack", from: older, failed: ["b"] });
    expect(fleet.with(older)).toEqual(["a", "b", "c"]);
    fleet.nowMs += 60 * minuteMs;
    fleet.look();
    expect(fleet.with(older)).toEqual(["a", "b", "c"]);
    fleet.approved = { wave: 0, failures: 1 };
    fleet.look();
    expect(fleet.with(newer)).toEqual(["a", "b"]);
    fleet.revision = newest;
    fleet.approved = { wave: 0, failures: 0 };
    expect(fleet.look().state).toMatchObject({ from: older, phase: "Progressing", wave: 1 });
    expect(fleet.with(newest)).toEqual(["a", "b"]);
  });

  test("pause a rollout that has nothing to go back to", () => {
    const fleet = new Fleet(["a"], { onFailure: "rollback" });
    fleet.has.clear();
    fleet.look({ present: undefined });
    fleet.nowMs = 10 * minuteMs;
    expect(fleet.look({ present: undefined }).state.phase).toBe("Paused");
  });
});

test("a new change in the middle begins anew, and would go back to what was completed last", () => {
  const fleet = new Fleet(["a", "b"], { waves: [wave({ count: 1 })] });
  fleet.look();
  fleet.becomeReady("a");
  fleet.revision = newest;
  expect(fleet.look().state).toMatchObject({ revision: newest, from: older, wave: 1 });
  expect([fleet.with(newest), fleet.with(newer)]).toEqual([["a"], ["b"]]);
});

test("clusters that come during a rollout wait for their wave, and after it they do not", () => {
  const fleet = new Fleet(["a", "b"], { waves: [wave({ count: 1 })] });
  fleet.look();
  fleet.names.push("c");
  fleet.look();
  expect(fleet.with(newer)).toEqual(["a"]);
  fleet.becomeReady("a");
  fleet.becomeReady("b", "c");
  expect(fleet.state?.phase).toBe("Complete");
  fleet.names.push("d");
  fleet.look();
  expect(fleet.with(newer)).toEqual(["a", "b", "c", "d"]);
});

test("a cluster that leaves during a rollout is not waited for, and no failure of it is left", () => {
  const fleet = new Fleet(["a", "b", "c"], { waves: [wave({ count: 1 })], deadline: "10m" });
  fleet.look();
  expect(fleet.with(newer)).toEqual(["a"]);
  fleet.nowMs = 11 * minuteMs;
  expect(fleet.look().state).toMatchObject({ phase: "Paused", failed: ["a"] });
  fleet.names = ["b", "c"];
  fleet.approved = { wave: 0, failures: 1 };
  fleet.look();
  expect(fleet.state?.failed).toEqual([]);
  fleet.becomeReady("b");
  expect(fleet.becomeReady("b", "c").state).toMatchObject({ phase: "Complete", underWay: [], failed: [] });
});

test("a cluster that gets other labels during a rollout belongs to the wave of those, and goes back from none", () => {
  const selector = { matchLabels: { stage: "canary" }, matchExpressions: [] };
  const fleet = new Fleet(["a", "b", "c"], { waves: [wave({ selector })] });
  fleet.labels.set("a", { stage: "canary" });
  fleet.look();
  expect(fleet.with(newer)).toEqual(["a"]);
  fleet.labels.set("b", { stage: "canary" });
  fleet.labels.set("a", {});
  fleet.look();
  // The one that has it keeps it, and the last wave waits for the one that is a canary now.
  expect(fleet.with(newer)).toEqual(["a", "b"]);
  expect(fleet.becomeReady("b").state.phase).not.toBe("Complete");
  expect(fleet.with(newer)).toEqual(["a", "b", "c"]);
  expect(fleet.becomeReady("a", "c").state.phase).toBe("Complete");
});

test("where all have it before anybody asks for waves, it is complete", () => {
  const fleet = new Fleet(["a", "b"], { waves: [wave({ count: 1, approval: true })] });
  for (const name of fleet.names) fleet.has.set(name, newer);
  expect(fleet.look().state.phase).toBe("Complete");
});

/** Waves that nobody waits for follow each other at once; then nothing is left to do. */
function settle(fleet: Fleet): void {
  for (let turn = 0; turn <= fleet.rollout.waves.length + 1; turn += 1) {
    const before = fleet.state;
    if (isDeepStrictEqual(fleet.look().state, before)) return;
  }
  throw new Error("It never comes to rest.");
}

test("whatever happens, limits hold, it comes to rest, and what is mended completes", () => {
  const steps = fc.array(
    fc.tuple(fc.constantFrom("ready", "lose", "offline", "online", "wait"), fc.nat({ max: 5 })),
    { maxLength: 60 },
  );
  const rollout = fc.record({
    waves: fc.array(
      fc.integer({ min: 1, max: 3 }).map((count) => wave({ count, soak: "1m" })),
      { maxLength: 3 },
    ),
    maxConcurrent: fc.integer({ min: 1, max: 6 }),
    maxFailures: fc.nat({ max: 2 }),
    offline: fc.constantFrom("skip" as const, "wait" as const),
  });
  fc.assert(
    fc.property(rollout, steps, (settings, happens) => {
      const fleet = new Fleet(["a", "b", "c", "d", "e", "f"], settings);
      for (const [what, which] of happens) {
        const name = fleet.names[which] ?? "";
        if (what === "ready" && fleet.has.get(name) === newer) fleet.ready.add(name);
        if (what === "lose") fleet.ready.delete(name);
        if (what === "offline") fleet.offline.add(name);
        if (what === "online") fleet.offline.delete(name);
        if (what === "wait") fleet.nowMs += 3 * minuteMs;
        const before = fleet.with(newer).length;
        const { underWay } = fleet.look().state;
        // One that comes back or is lost counts again, but none begins beyond the limit.
        const hasBegun = fleet.with(newer).length > before && fleet.offline.size === 0;
        expect(hasBegun ? underWay.length : 0).toBeLessThanOrEqual(settings.maxConcurrent);
        settle(fleet);
      }
      fleet.offline.clear();
      for (let turn = 0; turn < 40 && fleet.state?.phase !== "Complete"; turn += 1) {
        fleet.nowMs += minuteMs;
        fleet.becomeReady(...fleet.with(newer));
      }
      expect(fleet.state?.phase).toBe("Complete");
      expect(fleet.with(newer)).toEqual(fleet.names);
    }),
    { numRuns: 300 },
  );
});
