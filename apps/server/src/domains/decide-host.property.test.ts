import {
  array,
  assert,
  boolean,
  constantFrom,
  double,
  integer,
  oneof,
  option,
  property,
  record,
  shuffledSubarray,
} from "fast-check";
import { describe, expect, test } from "vitest";

import { decideHost, type Decision, type HostRules, type SeenCluster } from "./decide-host.ts";

const names = ["a", "b", "c"] as const;

const anyRules = record({
  policy: constantFrom("single", "all" as const),
  preference: option(shuffledSubarray([...names], { minLength: 3 }), { nil: undefined }),
  afterMs: integer({ min: 1_000, max: 60_000 }),
  more: integer({ min: 0, max: 600_000 }),
  returns: constantFrom("automatic", "manual" as const),
}).map(({ more, ...given }): HostRules => ({
  ...given,
  returnAfterMs: given.afterMs + more,
  longestGapMs: 2 * intervalMs(given),
}));

function intervalMs({ afterMs }: Pick<HostRules, "afterMs">): number {
  return Math.min(30_000, Math.max(1_000, afterMs / 4));
}

interface Look {
  /** Since the last one, as a share of the interval: servers are away, clocks jump. */
  readonly pause: number;
  readonly healthy: readonly boolean[];
}

const anyLook = record({
  pause: oneof(
    { weight: 8, arbitrary: double({ min: 0, max: 1, noNaN: true }) },
    { weight: 1, arbitrary: double({ min: 1, max: 1_000, noNaN: true }) },
  ),
  healthy: array(boolean(), { minLength: names.length, maxLength: names.length }),
});

/** Runs of the same answers, so that streaks of every length come about. */
const anyStory = array(record({ count: integer({ min: 1, max: 12 }), look: anyLook }), { maxLength: 30 }).map(
  (runs) => runs.flatMap(({ count, look }) => Array.from({ length: count }, (): Look => look)),
);

function seenBy(healthy: readonly boolean[]): SeenCluster[] {
  return names.map((cluster, index) => ({
    cluster,
    isHealthy: healthy[index] === true,
    isLeaving: false,
    addresses: [cluster],
    reason: "Seen",
    message: "",
  }));
}

interface Seen {
  readonly nowMs: number;
  readonly look: Look;
  readonly decision: Decision;
}

function told(looks: readonly Look[], rules: HostRules): Seen[] {
  let nowMs = 0;
  let lookedAtMs: number | undefined;
  let decision: Decision | undefined;
  return looks.map((look) => {
    nowMs += Math.round(look.pause * intervalMs(rules));
    decision = decideHost(decision?.state, seenBy(look.healthy), rules, { nowMs, lookedAtMs });
    lookedAtMs = nowMs;
    return { nowMs, look, decision };
  });
}

describe("whatever is seen, and whenever", () => {
  test("a host is never without a cluster, and its cluster has an address", () => {
    assert(
      property(anyStory, anyRules, (looks, rules) => {
        for (const { decision } of told(looks, rules)) {
          const { active, clusters } = decision.state;
          expect(active.length).toBeGreaterThan(0);
          for (const name of active)
            expect(clusters.find(({ cluster }) => cluster === name)?.addresses).toEqual([name]);
        }
      }),
    );
  });

  test("two switches of a host in one cluster are at least as far apart as a loss takes", () => {
    assert(
      property(anyStory, anyRules, (looks, given) => {
        const rules = { ...given, policy: "single" as const };
        const switches = told(looks, rules).filter(({ decision }) => decision.why !== undefined);
        const apart = switches.slice(1).map(({ nowMs }, index) => nowMs - (switches[index]?.nowMs ?? 0));
        expect(apart.filter((ms) => ms < rules.afterMs)).toEqual([]);
      }),
    );
  });

  test("a cluster that answers every other time is never switched to", () => {
    assert(
      property(array(anyLook, { maxLength: 150 }), anyRules, (looks, rules) => {
        const flapping = looks.map(({ pause, healthy }, index) => ({
          // Looks that are further apart than the loss takes cannot tell.
          pause: Math.min(pause, 1),
          healthy: [index % 2 === 1, ...healthy.slice(1)],
        }));
        const begun = [{ pause: 0, healthy: [false, true, true] }, ...flapping];
        for (const { decision } of told(begun, rules)) expect(decision.state.active).not.toContain("a");
      }),
    );
  });

  test("nothing happens while the active cluster answers and none is preferred to it", () => {
    assert(
      property(anyStory, anyRules, (looks, given) => {
        const rules: HostRules = { ...given, policy: "single", preference: ["a", "b", "c"] };
        const answered = looks.map((look) => ({ ...look, healthy: [true, ...look.healthy.slice(1)] }));
        const active = told(answered, rules).map(({ decision }) => decision.state.active.join());
        expect(new Set(active).size).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("a loss is answered within the time that is promised, and one look", () => {
    const story = record({
      before: integer({ min: 1, max: 50 }),
      lossShare: double({ min: 0.01, max: 1, noNaN: true }),
    });
    assert(
      property(story, anyRules, ({ before, lossShare }, given) => {
        const rules: HostRules = { ...given, policy: "single", preference: ["a", "b", "c"] };
        const everyMs = intervalMs(rules);
        // Long enough that both have answered for as long as counts.
        const steadyMs = before * everyMs + 2 * rules.afterMs;
        let nowMs = 0;
        let lookedAtMs: number | undefined;
        let decision: Decision | undefined;
        let lostAtMs = Infinity;
        while (decision?.why !== "FailedOver") {
          if (lostAtMs === Infinity && nowMs >= steadyMs) lostAtMs = nowMs - lossShare * everyMs;
          const seen = seenBy([nowMs < lostAtMs, true, false]);
          decision = decideHost(decision?.state, seen, rules, { nowMs, lookedAtMs });
          lookedAtMs = nowMs;
          if (decision.why === "FailedOver") break;
          expect(nowMs).toBeLessThanOrEqual(steadyMs + rules.afterMs + 2 * everyMs);
          // As the controller looks again.
          nowMs += Math.min(everyMs, decision.nextMs - nowMs);
        }
        expect(nowMs - lostAtMs).toBeGreaterThanOrEqual(rules.afterMs);
        expect(nowMs - lostAtMs).toBeLessThanOrEqual(rules.afterMs + everyMs);
      }),
    );
  });

  test("time without a look counts for no more than the longest gap", () => {
    assert(
      property(anyStory, anyRules, (looks, rules) => {
        const countedMs = new Map<string, number>();
        let last: Seen | undefined;
        for (const each of told(looks, rules)) {
          for (const [index, name] of names.entries()) {
            const isSame = last?.look.healthy[index] === each.look.healthy[index];
            const gapMs = Math.min(each.nowMs - (last?.nowMs ?? 0), rules.longestGapMs);
            countedMs.set(name, isSame ? (countedMs.get(name) ?? 0) + gapMs : 0);
            const found = each.decision.state.clusters.find(({ cluster }) => cluster === name);
            expect(each.nowMs - (found?.sinceMs ?? 0)).toBeCloseTo(countedMs.get(name) ?? 0, 3);
          }
          last = each;
        }
      }),
    );
  });
});
