import { expect, test } from "vitest";

import { diffLines, foldSame, type DiffLine } from "./line-diff.ts";

function print(lines: readonly DiffLine[]): string[] {
  const marks = { same: " ", gone: "-", come: "+" };
  return lines.map(({ kind, text }) => `${marks[kind]}${text}`);
}

function lines(text: string): string[] {
  return text === "" ? [] : text.split("");
}

test.each([
  ["", "", []],
  ["abc", "abc", [" a", " b", " c"]],
  ["", "ab", ["+a", "+b"]],
  ["ab", "", ["-a", "-b"]],
  ["abc", "axc", [" a", "-b", "+x", " c"]],
  ["abcabba", "cbabac", ["-a", "-b", " c", "+b", " a", " b", "-b", " a", "+c"]],
])("%j to %j", (before, after, expected) => {
  expect(print(diffLines(lines(before), lines(after)))).toEqual(expected);
});

test("what goes and stays is the text before, what comes and stays the one after, for any two texts", () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let run = 0; run < 200; run += 1) {
    const [before, after] = [random(30), random(30)].map((length) =>
      Array.from({ length }, () => String.fromCharCode(97 + random(4))),
    );
    const diff = diffLines(before ?? [], after ?? []);
    expect(diff.filter(({ kind }) => kind !== "come").map(({ text }) => text)).toEqual(before);
    expect(diff.filter(({ kind }) => kind !== "gone").map(({ text }) => text)).toEqual(after);
  }
});

test("texts that share nothing and are long are shown one after the other", () => {
  const diff = diffLines(
    Array.from({ length: 3_000 }, (_, index) => `a${index}`),
    Array.from({ length: 3_000 }, (_, index) => `b${index}`),
  );
  expect(diff).toHaveLength(6_000);
  expect([diff[0], diff[3_000]]).toEqual([
    { kind: "gone", text: "a0" },
    { kind: "come", text: "b0" },
  ]);
});

test("equal lines far from a change are folded, and a single one never", () => {
  const diff = diffLines(lines("abcdefghi"), lines("abcdXfghi"));
  expect(
    foldSame(diff, 2).map((part) => ("folded" in part ? part.folded : print(part.lines).join(""))),
  ).toEqual([2, " c d-e+X f g", 2]);
  expect(foldSame(diff, 3).map((part) => ("folded" in part ? part.folded : part.lines.length))).toEqual([
    1, 8, 1,
  ]);
  expect(foldSame([], 3)).toEqual([]);
});
