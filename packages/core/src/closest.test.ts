import { expect, test } from "vitest";

import { closest, didYouMean } from "./closest.ts";

const names = ["placement", "parameters", "prune", "namespace"];

test.each([
  ["placment", "placement"],
  ["plaecment", "placement"],
  ["PRUNE", "prune"],
  ["paramters", "parameters"],
  ["nampespaec", "namespace"],
])("%s was meant to be %s", (word, meant) => {
  expect(closest(word, names)).toBe(meant);
});

test.each(["", "x", "replicas", "a".repeat(10_000)])("%.20s was meant to be none of them", (word) => {
  expect(closest(word, names)).toBeUndefined();
});

test("a hint is a clause or nothing", () => {
  expect(didYouMean("prun", names)).toBe("; did you mean «prune»?");
  expect(didYouMean("replicas", names)).toBe("");
});
