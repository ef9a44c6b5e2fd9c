import { describe, expect, it } from "vitest";
import { compilePattern } from "./bounded-pattern.ts";

describe("a pattern of a schema", () => {
  it.each([
    ["^[a-z]+$", "abc", "aBc"],
    ["(?i)^abc$", "ABC", "abd"],
    ["^(?P<first>a)b$", "ab", "b"],
    ["\\Aab\\z", "ab", "abc"],
    ["^[[:alpha:]]+$", "abc", "a1"],
    ["^\\p{L}+$", "äöü", "1"],
    ["^([a-z0-9]([-a-z0-9]*[a-z0-9])?\\.)*[a-z]+$", "a-b.example.com", "a..b"],
  ])("%s matches what the server's dialect says", (pattern, good, bad) => {
    const compiled = compilePattern(pattern);
    expect(compiled?.test(good)).toBe(true);
    expect(compiled?.test(bad)).toBe(false);
  });

  it("is none if it cannot be read", () => {
    expect(compilePattern("(")).toBeUndefined();
  });

  it.each(["^(a+)+$", "^(a|aa)+$", "^(.*)*x$", "a*a*a*a*a*a*a*a*b"])(
    "%s comes to an end on hostile text",
    (pattern) => {
      expect(compilePattern(pattern)?.test(`${"a".repeat(5000)}!`)).toBe(false);
    },
  );
});
