import { expect, test } from "vitest";

import { joinChanges } from "./join-changes.ts";

const pod = (...images: readonly string[]) => ({
  spec: { containers: images.map((image) => ({ name: image[0], image })) },
});

test("two containers can be changed by two people", () => {
  expect(
    joinChanges({ base: pod("a:1", "b:1"), yours: pod("a:1", "b:2"), theirs: pod("a:9", "b:1") }),
  ).toEqual(pod("a:9", "b:2"));
});

test("what one of them adds or takes away is there or gone, and the order is theirs", () => {
  expect(
    joinChanges({ base: pod("a:1", "b:1"), yours: pod("a:1", "b:1", "c:1"), theirs: pod("d:1", "b:1") }),
  ).toEqual(pod("d:1", "b:1", "c:1"));
  expect(
    joinChanges({ base: pod("a:1", "b:1"), yours: pod("b:1"), theirs: pod("d:1", "a:1", "b:1") }),
  ).toEqual(pod("d:1", "b:1"));
});

test("yours stands where both changed the same, and where items have no names", () => {
  expect(joinChanges({ base: pod("a:1"), yours: pod("a:2"), theirs: pod("a:3") })).toEqual(pod("a:2"));
  const sides = { base: { args: ["a"], x: 1 }, yours: { args: ["b"], x: 1 }, theirs: { args: ["c"], x: 2 } };
  expect(joinChanges(sides)).toEqual({ args: ["b"], x: 2 });
});

test("what only one has changed is as they have it", () => {
  expect(joinChanges({ base: pod("a:1"), yours: pod("a:1"), theirs: pod("b:1") })).toEqual(pod("b:1"));
  expect(joinChanges({ base: { a: 1, b: 1 }, yours: { a: 1 }, theirs: { a: 2, b: 1 } })).toEqual({ a: 2 });
});
