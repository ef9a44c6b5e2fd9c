import { describe, expect, test } from "vitest";

import { decideHost, type Decision, type HostRules, type SeenCluster } from "./decide-host.ts";

const rules: HostRules = {
  policy: "single",
  preference: ["a", "b", "c"],
  afterMs: 30_000,
  returnAfterMs: 300_000,
  returns: "automatic",
  longestGapMs: 15_000,
};
const startMs = Date.UTC(2026, 0, 1);

function seen(text: string): SeenCluster[] {
  return text
    .split(" ")
    .filter((each) => each !== "")
    .map((each) => ({
      cluster: each[0] ?? "",
      isHealthy: each.includes("+"),
      isLeaving: each.includes("!"),
      addresses: each.includes("?") ? [] : [`address of ${each[0]}`],
      reason: "Seen",
      message: "",
    }));
}

/** One host over time: `a+` answers, `a-` does not, `a!` is leaving, `a?` has no address. */
class Story {
  nowMs = startMs;
  decision: Decision | undefined;
  readonly #rules: HostRules;
  #lookedAtMs: number | undefined;

  constructor(given: Partial<HostRules> = {}) {
    this.#rules = { ...rules, ...given };
  }

  look(text: string, afterMs = 0): string {
    this.nowMs += afterMs;
    const time = { nowMs: this.nowMs, lookedAtMs: this.#lookedAtMs };
    this.decision = decideHost(this.decision?.state, seen(text), this.#rules, time);
    this.#lookedAtMs = this.nowMs;
    const { state, why } = this.decision;
    return why === undefined ? state.active.join(" ") : `${why}: ${state.active.join(" ")}`;
  }

  /** Every 7.5 s for so long; the answers that differ from the one before. */
  looks(text: string, forMs: number): string[] {
    const said: string[] = [];
    for (let elapsedMs = 0; elapsedMs < forMs; elapsedMs += 7_500) said.push(this.look(text, 7_500));
    return said.filter((each, index) => each !== said[index - 1]);
  }
}

describe("a host in one cluster at a time", () => {
  test("begins in the first that answers, by preference", () => {
    expect(new Story().look("c+ b+ a-")).toBe("Chosen: b");
    expect(new Story().look("c+ b+ a+")).toBe("Chosen: a");
    expect(new Story({ preference: undefined }).look("c+ b+")).toBe("Chosen: b");
  });

  test("begins in the first that has an address where none answers, and nowhere without any", () => {
    expect(new Story().look("a? b- c-")).toBe("Chosen: b");
    expect(new Story().look("a?")).toBe("");
    expect(new Story().look("")).toBe("");
  });

  test("moves when its cluster has not answered for as long as the rule says, and not before", () => {
    const story = new Story();
    story.look("a+ b+");
    story.looks("a+ b+", 60_000);
    expect(story.looks("a- b+", 30_000)).toEqual(["a"]);
    expect(story.look("a- b+", 7_500)).toBe("FailedOver: b");
    expect(story.looks("a- b+", 60_000)).toEqual(["b"]);
  });

  test("comes back when the preferred cluster has answered for long, without a break", () => {
    const story = new Story();
    story.look("a- b+");
    expect(story.looks("a+ b+", 150_000)).toEqual(["b"]);
    story.look("a- b+", 7_500);
    expect(story.looks("a+ b+", 300_000)).toEqual(["b"]);
    expect(story.look("a+ b+", 7_500)).toBe("Returned: a");
  });

  test("rests after a switch: a cluster that is preferred to the new one comes back no sooner than a loss takes", () => {
    const story = new Story({ preference: ["b", "c", "a"], returnAfterMs: 30_000 });
    story.look("a+ b+ c-");
    story.looks("a+ b+ c-", 60_000);
    story.look("a+ b- c-", 7_500);
    // It answers a moment too late to be the one that takes over.
    expect(story.looks("a+ b- c+", 30_000)).toEqual(["b", "FailedOver: a"]);
    expect(story.look("a+ b- c+", 7_500)).toBe("a");
    expect(story.looks("a+ b- c+", 30_000)).toEqual(["a", "Returned: c", "c"]);
  });

  test("does not come back by itself where that is manual, or where none is preferred", () => {
    for (const given of [{ returns: "manual" }, { preference: undefined }] as const) {
      const story = new Story(given);
      story.look("a- b+");
      expect(story.looks("a+ b+", 3_600_000)).toEqual(["b"]);
    }
  });

  test("stays where it is while none answers, whatever that cluster is", () => {
    const story = new Story();
    story.look("a+ b+");
    expect(story.looks("a- b-", 3_600_000)).toEqual(["a"]);
    expect(story.look("a? b-", 7_500)).toBe("a");
    expect(story.decision?.state.clusters[0]?.addresses).toEqual(["address of a"]);
  });

  test("leaves a cluster that it was taken out of as soon as another answers", () => {
    const story = new Story();
    story.look("a+ b-");
    expect(story.look("a+! b-", 1_000)).toBe("a");
    expect(story.look("a+! b+", 1_000)).toBe("Left: b");
    expect(story.look("c-", 1_000)).toBe("b");
    expect(story.look("c+", 1_000)).toBe("Left: c");
    expect(story.look("", 1_000)).toBe("Left: ");
  });

  test("does not take a cluster for one that answers in which nobody looks any more", () => {
    const story = new Story();
    story.look("a+ b-");
    story.looks("a+ b-", 60_000);
    expect(story.look("b-", 7_500)).toBe("a");
    const known = story.decision?.state.clusters.find(({ cluster }) => cluster === "a");
    expect(known).toMatchObject({ isHealthy: false, sinceMs: story.nowMs, reason: "Leaving" });
    // Since then it is so, however often it is not seen.
    story.look("b-", 7_500);
    const later = story.decision?.state.clusters.find(({ cluster }) => cluster === "a");
    expect(later?.sinceMs).toBe(story.nowMs - 7_500);
  });

  test("does not count an hour in which nobody looked", () => {
    const story = new Story();
    story.looks("a+ b+", 60_000);
    story.look("a- b+", 7_500);
    expect(story.look("a- b+", 3_600_000)).toBe("a");
    story.look("a- b+", 7_500);
    expect(story.look("a- b+", 7_500)).toBe("FailedOver: b");
  });

  test("does not wait for an hour by which the clock was set back", () => {
    const story = new Story();
    story.looks("a+ b+", 60_000);
    story.look("a- b+", -3_600_000);
    expect(story.looks("a- b+", 30_000).at(-1)).toBe("FailedOver: b");
  });

  test("is looked at again when something may have to be decided", () => {
    const story = new Story();
    story.look("a+ b+");
    expect(story.decision?.nextMs).toBe(startMs + 30_000);
    story.looks("a+ b+", 60_000);
    expect(story.decision?.nextMs).toBe(Infinity);
    story.look("a- b+", 7_500);
    expect(story.decision?.nextMs).toBe(story.nowMs + 30_000);
  });
});

describe("a host in all clusters that answer", () => {
  const all = { policy: "all" } as const;

  test("leaves out one that is lost, and takes it in again when it has answered for long", () => {
    const story = new Story(all);
    expect(story.look("a+ b+")).toBe("Chosen: a b");
    expect(story.looks("a- b+", 37_500)).toEqual(["a b", "FailedOver: b"]);
    expect(story.looks("a+ b+", 300_000)).toEqual(["b"]);
    expect(story.look("a+ b+", 7_500)).toBe("Joined: a b");
  });

  test("takes in one that is new sooner", () => {
    const story = new Story(all);
    expect(story.look("a+ b?")).toBe("Chosen: a");
    expect(story.looks("a+ b+", 37_500)).toEqual(["a", "Joined: a b"]);
  });

  test("stays in all of them while none answers", () => {
    const story = new Story(all);
    story.look("a+ b+");
    expect(story.looks("a- b-", 3_600_000)).toEqual(["a b"]);
  });

  test("leaves one that it was taken out of at once", () => {
    const story = new Story(all);
    story.look("a+ b+");
    expect(story.look("a+! b+", 1_000)).toBe("Left: b");
  });
});
