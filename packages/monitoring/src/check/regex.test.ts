import { expect, test } from "vitest";

import { re2Problem } from "./regex.ts";

test.each([
  "",
  "(.+)(?::d+)",
  "(?i)abc",
  "(?P<name>a|b)*",
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
  "[a-z0-9_.-]",
  "[--a][\\d-z][+--]",
  "[^[:^space:]\\pL]",
  "[[:alpha]",
  "(a{10}){100}",
  "\\12\\07",
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
  ["(?<name>a)", "it uses a group that RE2 does not know"],
  ["[]", "a bracket is not closed"],
  ["[[:alpha:]", "a bracket is not closed"],
  ["[z-a]", "a range of characters has its limits the wrong way round"],
  ["[\\n-\\t]", "a range of characters has its limits the wrong way round"],
  ["[a-\\d]", "an escape sequence is unknown"],
  ["[a\\y]", "an escape sequence is unknown"],
  ["\\x{110000}", "an escape sequence is unknown"],
  ["\\C", "an escape sequence is unknown"],
  ["\\é", "an escape sequence is unknown"],
  ["\\Qnever closed", "an escape sequence is unknown"],
  ["\\p{Foo}", "an escape sequence is unknown"],
  ["[\\p{Foo}]", "a class of characters is unknown"],
  ["[[:foo:]]", "a class of characters is unknown"],
  ["(a{10}){101}", "quantifiers in each other repeat more than 1000 times"],
  ["(?:(?:a{31}){31}){2}", "quantifiers in each other repeat more than 1000 times"],
  [`(?:${"a".repeat(200)}){1000}`, "it becomes too large when its repetitions are written out"],
  [`${"(".repeat(300)}${")".repeat(300)}`, "parentheses are nested deeper than 200 levels"],
  ["a".repeat(70_000), "it is longer than 65536 characters"],
])("Prometheus refuses %s", (regex, problem) => {
  expect(re2Problem(regex)).toBe(problem);
});

test("an expression that is made to take long does not", () => {
  const problems = Array.from({ length: 50 }, () => re2Problem("[[:".padEnd(60_000, "[:")));
  expect(new Set(problems)).toEqual(new Set(["a bracket is not closed"]));
});
