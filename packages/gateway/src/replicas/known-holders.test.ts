import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { parseAnnouncement } from "./announcement.ts";
import { KnownHolders } from "./known-holders.ts";

function open(isTold = true) {
  const clock = new ManualClock();
  const told = { isTold };
  const holders = new KnownHolders({ clock, isTold: () => told.isTold });
  const of = (cluster: string): string[] | undefined => {
    const known = holders.of(cluster);
    return known === undefined ? undefined : [...known];
  };
  return { clock, told, holders, of };
}

describe("who holds the agents of a cluster", () => {
  test("is known from what replicas say, in the order in which they said it", () => {
    const { holders, of } = open();
    holders.hear({ replica: "one", epoch: 2, event: "holds", cluster: "a" });
    holders.hear({ replica: "two", epoch: 1, event: "holds", cluster: "a" });
    expect(of("a")).toEqual(["one", "two"]);
    // It was sent before, and comes late.
    holders.hear({ replica: "one", epoch: 1, event: "lost", cluster: "a" });
    expect(of("a")).toEqual(["one", "two"]);
    holders.hear({ replica: "one", epoch: 3, event: "lost", cluster: "a" });
    expect(of("a")).toEqual(["two"]);
    holders.hear({ replica: "two", epoch: 2, event: "leaves" });
    expect(of("a")).toBeUndefined();
  });

  test("is heard from the beginning of those who are new, or may have been missed", () => {
    const { holders, of } = open();
    const says = (epoch: number, cluster: string): void =>
      holders.hear({ replica: "one", epoch, event: "holds", cluster });
    says(5, "a");
    holders.retain(new Set(["one"]));
    says(4, "b");
    expect(of("b")).toBeUndefined();
    holders.retain(new Set());
    says(4, "b");
    expect(of("b")).toEqual(["one"]);
    holders.clear();
    says(1, "c");
    expect([of("a"), of("b"), of("c")]).toEqual([undefined, undefined, ["one"]]);
  });

  test("is looked up again where nobody says when it changes", async () => {
    const { clock, told, holders, of } = open(false);
    holders.learn("a", ["one"]);
    await clock.advance(4_999);
    expect(of("a")).toEqual(["one"]);
    await clock.advance(1);
    expect(of("a")).toBeUndefined();
    expect([...(holders.remembered("a") ?? [])]).toEqual(["one"]);
    told.isTold = true;
    expect(of("a")).toEqual(["one"]);
    holders.clear();
    expect(holders.remembered("a")).toBeUndefined();
  });

  test("is not kept where it is nobody", () => {
    const { holders, of } = open();
    holders.learn("a", []);
    expect(of("a")).toBeUndefined();
    holders.learn("a", ["one", "two"]);
    holders.forget("a", "one");
    holders.forget("b", "one");
    expect(of("a")).toEqual(["two"]);
    holders.forgetReplica("two");
    expect(of("a")).toBeUndefined();
  });
});

describe("an announcement", () => {
  test.each([
    { replica: "one", epoch: 1, event: "came" },
    { replica: "one", epoch: 2, event: "holds", cluster: "a" },
  ])("is read as it was written: %j", (announcement) => {
    expect(parseAnnouncement(JSON.stringify(announcement))).toEqual(announcement);
  });

  test.each([
    "",
    "null",
    "[1]",
    "{",
    '{"replica":"one","event":"came"}',
    '{"replica":"one","epoch":1,"event":"dances"}',
    '{"replica":"one","epoch":1,"event":"holds"}',
    `{"replica":"one","epoch":1,"event":"holds","cluster":"${"a".repeat(300)}"}`,
    `{"replica":"one","epoch":1,"event":"came","more":"${"a".repeat(2_000)}"}`,
  ])("is none: %s", (text) => {
    expect(parseAnnouncement(text)).toBeUndefined();
  });
});
