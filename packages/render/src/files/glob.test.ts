import { expect, test } from "vitest";

import { checkGlobs, matchesAny } from "./glob.ts";

test.each([
  ["*.yaml", ["a.yaml", ".yaml"], ["a/b.yaml", "a.yml"]],
  ["**/*.yaml", ["a.yaml", "a/b/c.yaml"], ["a.json"]],
  ["a/**", ["a/b", "a/b/c"], ["b/a"]],
  ["a/**/z.yaml", ["a/z.yaml", "a/b/c/z.yaml"], ["a/b", "z.yaml"]],
  ["?.yaml", ["a.yaml", "🦀.yaml"], ["ab.yaml", ".yaml"]],
  ["a*b*c", ["abc", "aXbYbc"], ["ab", "acb"]],
  ["**/a/**/b", ["a/b", "x/a/y/a/z/b"], ["a", "b/a"]],
  ["[a].yaml", ["[a].yaml"], ["a.yaml"]],
  ["(a+)+$", ["(a+)+$"], ["aa"]],
])("%s", (glob, fits, others) => {
  expect(fits.filter((path) => !matchesAny(path, [glob]))).toEqual([]);
  expect(others.filter((path) => matchesAny(path, [glob]))).toEqual([]);
});

/** Counted in steps by the shape of the loop: a regular expression of this glob would still be at it tomorrow. */
test("a glob full of wildcards against a long path ends", () => {
  const glob = "*a".repeat(127);
  expect(matchesAny(`${"a".repeat(5_000)}b`, [glob])).toBe(false);
  expect(matchesAny(`${"a/".repeat(500)}b`, ["**/a/".repeat(50).slice(0, -1)])).toBe(false);
});

test("globs are few and short", () => {
  expect(() => checkGlobs(["a".repeat(257)])).toThrow("is not a glob");
  expect(() => checkGlobs(Array.from({ length: 101 }, () => "a"))).toThrow("at most 100");
  expect(() => checkGlobs(["a/**"])).not.toThrow();
});
