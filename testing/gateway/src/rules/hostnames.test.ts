import { expect, it } from "vitest";

import { byExactness, covers, intersection } from "./hostnames.ts";

it.each([
  [undefined, undefined, undefined],
  [undefined, "a.example.com", "a.example.com"],
  ["a.example.com", undefined, "a.example.com"],
  ["*.example.com", "a.example.com", "a.example.com"],
  ["a.example.com", "*.example.com", "a.example.com"],
  ["*.example.com", "a.b.example.com", "a.b.example.com"],
  ["*.example.com", "*.b.example.com", "*.b.example.com"],
])("%s and %s have %s in common", (listener, route, host) => {
  expect(intersection(listener, route)).toEqual({ host });
});

it.each([
  ["a.example.com", "b.example.com"],
  ["*.example.com", "example.com"],
  ["*.example.com", "a.example.org"],
  ["*.example.com", "badexample.com"],
])("%s and %s have nothing in common", (listener, route) => {
  expect(intersection(listener, route)).toBeUndefined();
  expect(covers(listener, route)).toBe(false);
});

it("puts exact names before wildcards, long ones before short ones, and none at the end", () => {
  const hosts = [undefined, "*.example.com", "a.io", "*.b.example.com", "www.example.com"];
  expect(hosts.toSorted(byExactness)).toEqual([
    "www.example.com",
    "a.io",
    "*.b.example.com",
    "*.example.com",
    // `undefined` always goes to the end of a sorted list.
    undefined,
  ]);
});
