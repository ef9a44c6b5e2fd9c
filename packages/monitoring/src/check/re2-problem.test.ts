import { expect, test } from "vitest";

import { re2Problem } from "./re2-problem.ts";

test.each([
  "",
  "(.+)(?::d+)",
  "(?i)abc",
  "(?P<name>a|b)*",
  "(?<name>a)",
  "(?i:a)+",
  "[]a]",
  "[^]a]+?",
  "[[:alpha:]_]{2,5}",
  "\\d+\\.\\d*",
  "\\pL\\p{Greek}",
  "\\Qa(b\\E",
  "\\x{10FFFF}\\x41",
  "a{,2}",
  "{",
  "a|",
  "$(SHARD);|.+;.+",
])("Prometheus takes %s", (regex) => {
  expect(re2Problem(regex)).toBeUndefined();
});

test.each([
  ["(", "a parenthesis is not closed"],
  ["a)", "a parenthesis is closed that was not opened"],
  ["[a", "a bracket is not closed"],
  ["*", "a quantifier repeats nothing"],
  ["a**", "a quantifier repeats nothing"],
  ["a|+", "a quantifier repeats nothing"],
  ["(?=a)", "it uses a group that RE2 does not know"],
  ["(?!a)", "it uses a group that RE2 does not know"],
  ["(?<=a)", "it uses a group that RE2 does not know"],
  ["(a)\\1", "an escape sequence is unknown"],
  ["\\y", "an escape sequence is unknown"],
  ["\\", "an escape sequence is unknown"],
  ["a{1001}", "a quantifier repeats more than 1000 times"],
  ["a{3,2}", "a quantifier has its limits the wrong way round"],
])("Prometheus refuses %s", (regex, problem) => {
  expect(re2Problem(regex)).toBe(problem);
});
