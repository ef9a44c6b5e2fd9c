import { expect, test } from "vitest";

import { edgeTypes, readGraphSearch, toggledEdge, wantedEdges } from "./graph-search.ts";

test("an address is read as it was written", () => {
  const search = {
    cluster: "edge",
    focus: "Pod/shop/web-1",
    depth: 3,
    without: "OWNS,RUNS_ON",
    group: "namespace",
    view: "table",
    budget: 500,
    at: "2026-01-01T00:00:00.000Z",
    since: "2025-12-31T00:00:00.000Z",
    peek: "edge Secret/shop/db",
  };
  expect(readGraphSearch(search)).toEqual(search);
});

test("what cannot be meant is left out, whatever it is", () => {
  const wrong = {
    cluster: 7,
    focus: "Pod",
    depth: 2,
    without: "EVERYTHING",
    group: "none",
    view: "picture",
    budget: 1e9,
    at: "yesterday",
    since: {},
    peek: "javascript:alert(1)",
    other: "x",
  };
  expect(readGraphSearch(wrong)).toEqual({});
});

test("types of edges are switched off and on again, in one order", () => {
  expect(toggledEdge(undefined, "RUNS_ON")).toBe("RUNS_ON");
  expect(toggledEdge("RUNS_ON", "OWNS")).toBe("OWNS,RUNS_ON");
  expect(toggledEdge("OWNS", "OWNS")).toBeUndefined();
  expect(wantedEdges(undefined)).toBeUndefined();
  expect(wantedEdges("OWNS")?.split(",")).toEqual(edgeTypes.filter((type) => type !== "OWNS"));
});
