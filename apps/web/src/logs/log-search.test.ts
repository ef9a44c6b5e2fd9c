import { expect, test } from "vitest";

import type { LogLine } from "./log-line.ts";
import { lineMatcher, markRanges, queryProblem, type LogQuery } from "./log-query.ts";
import {
  LogSearch,
  requestedLines,
  type SearchAnswer,
  type SearchRequest,
  type SearchState,
} from "./log-search.ts";

const query = (text: string, options: Partial<LogQuery> = {}): LogQuery => ({
  text,
  isRegex: false,
  isCaseSensitive: false,
  ...options,
});

test.each([
  [
    query("b"),
    "aBcb",
    [
      [1, 2],
      [3, 4],
    ],
  ],
  [query("b", { isCaseSensitive: true }), "aBcb", [[3, 4]]],
  [query("1.2 (a)"), "1.2 (a) 1x2 a", [[0, 7]]],
  [
    query(String.raw`\d+`, { isRegex: true }),
    "a12b3",
    [
      [1, 3],
      [4, 5],
    ],
  ],
  [query("x"), "abc", []],
  [
    query("x*", { isRegex: true }),
    "\u{1F600}x",
    [
      [0, 0],
      [2, 3],
      [3, 3],
    ],
  ],
])("%j is found", (asked, text, ranges) => {
  expect(lineMatcher(asked).find(text)).toEqual(ranges);
});

test("each line is looked at from its beginning, and no more is marked than can be seen", () => {
  const matcher = lineMatcher(query("a"));
  expect(matcher.find("a".repeat(1_000))).toHaveLength(50);
  expect(matcher.find("a")).toEqual([[0, 1]]);
});

test("an expression that is none says why", () => {
  expect(queryProblem(query("(", { isRegex: true }))).toContain("regular expression");
  expect(queryProblem(query("("))).toBeUndefined();
});

test("a piece of a line is cut where matches begin and end", () => {
  expect(
    markRanges("world", 6, [
      [4, 8],
      [9, 20],
    ]),
  ).toEqual([
    { text: "wo", isMatch: true },
    { text: "r", isMatch: false },
    { text: "ld", isMatch: true },
  ]);
  expect(markRanges("all", 0, [])).toEqual([{ text: "all", isMatch: false }]);
});

function line(id: number, plain: string): LogLine {
  return { id, source: 0, time: { ms: id, nanos: 0 }, text: plain, plain, isNote: false };
}

/** A worker that answers when it is told to. */
function openSearch(): {
  search: LogSearch;
  asked: SearchRequest[];
  answer: (answer: SearchAnswer) => void;
  timers: (() => void)[];
  told: SearchState[];
  ended: () => number;
} {
  const asked: SearchRequest[] = [];
  const timers: (() => void)[] = [];
  const told: SearchState[] = [];
  let ended = 0;
  let answer: (answer: SearchAnswer) => void = () => {};
  const search = new LogSearch({
    openWorker: (onAnswer) => {
      answer = onAnswer;
      return { post: (request) => void asked.push(request), terminate: () => void (ended += 1) };
    },
    after: (_, callback) => {
      timers.push(callback);
      return () => void timers.splice(timers.indexOf(callback), 1);
    },
    onChange: () => told.push(search.state),
  });
  return { search, asked, timers, told, answer: (each) => answer(each), ended: () => ended };
}

test("matches of lines that are there and of lines that come are gathered, and go with their lines", () => {
  const { search, asked, answer } = openSearch();
  search.start(query("b"), [line(1, "ab"), line(7, ""), line(9, "c d")]);
  expect(asked.map(({ number, query: text }) => [number, text])).toEqual([
    [1, query("b")],
    [1, undefined],
  ]);
  expect(asked.map((request) => [...requestedLines(request)])).toEqual([
    [],
    [
      [1, "ab"],
      [7, ""],
      [9, "c d"],
    ],
  ]);
  expect(search.state).toBe("searching");
  answer({ number: 1, matches: [], searched: 0 });
  answer({ number: 1, matches: [[1, [[1, 2]]]], searched: 1 });
  expect([search.state, [...search.matches]]).toEqual(["found", [[1, [[1, 2]]]]]);
  search.add([line(2, "b")]);
  answer({ number: 1, matches: [[2, [[0, 1]]]], searched: 1 });
  search.forget([1]);
  expect([...search.matches.keys()]).toEqual([2]);
});

test("that it begins and that all is looked at is told at once, what comes between and later now and then", () => {
  const { search, answer, timers, told } = openSearch();
  search.start(query("b"), [line(1, "ab")]);
  expect(told).toEqual(["searching"]);
  answer({ number: 1, matches: [], searched: 0 });
  expect(told).toEqual(["searching"]);
  answer({ number: 1, matches: [[1, [[1, 2]]]], searched: 1 });
  expect([told, timers.length]).toEqual([["searching", "found"], 0]);
  for (const id of [2, 3]) {
    search.add([line(id, "b")]);
    answer({ number: 1, matches: [[id, [[0, 1]]]], searched: 1 });
  }
  expect([told.length, timers.length]).toEqual([2, 1]);
  timers[0]?.();
  expect([told.length, timers.length]).toEqual([3, 0]);
  search.add([line(4, "b")]);
  answer({ number: 1, matches: [], searched: 1 });
  search.stop();
  expect([told.length, timers.length]).toEqual([3, 0]);
});

test("answers to what was asked before are not looked at", () => {
  const { search, answer } = openSearch();
  search.start(query("a"), []);
  search.start(query("b"), []);
  answer({ number: 1, matches: [[1, [[0, 1]]]], searched: 1 });
  expect(search.matches.size).toBe(0);
});

test("an expression that takes for ever is given up, with its worker", () => {
  const { search, timers, ended } = openSearch();
  search.start(query("(a+)+$", { isRegex: true }), [line(1, "aaaa")]);
  expect(timers.length).toBe(1);
  timers[0]?.();
  expect([search.state, ended()]).toEqual(["tooSlow", 1]);
});
