import { expect, test } from "vitest";

import { sampleEvent, sampleRequest, sampleState, sampleWorkload } from "../testing/sample-state.ts";
import {
  initialState,
  printable,
  withCluster,
  withEvent,
  withKnownCluster,
  withoutCluster,
  withRequests,
  withWorkload,
} from "./demo-state.ts";

test("clusters that somebody adds are shown, and those that are removed stay so", () => {
  const state = withCluster(sampleState(), "mine", { phase: "connected" });
  expect(state.clusters.map(({ name, place }) => [name, place])).toEqual([
    ["edge", "a network with no way in"],
    ["cloud", "a plain process"],
    ["mine", "a cluster of yours"],
  ]);
  const without = withoutCluster(state, "mine");
  expect(withKnownCluster(without, "mine", { roundTripMs: 1 })).toEqual(without);
});

test("requests are counted for their cluster, by as many as they stand for, and old ones are forgotten", () => {
  const few = [sampleRequest("2", { count: 8 }), sampleRequest("1", { cluster: "cloud" })];
  const state = withRequests(sampleState(), few);
  expect(state.clusters.map(({ requests }) => requests)).toEqual([20, 1]);
  const many = Array.from({ length: 500 }, (_, index) => sampleRequest(`m${index}`));
  const after = withRequests(state, many);
  expect(after.requests).toHaveLength(200);
  expect(after.requests[0]?.id).toBe("m0");
  expect(withRequests(after, [])).toBe(after);
});

test("before the start, both clusters are about to", () => {
  expect(initialState("https://127.0.0.1:7443", 0).clusters.map(({ name, phase }) => [name, phase])).toEqual([
    ["edge", "starting"],
    ["cloud", "starting"],
  ]);
});

test("workloads have their place, whichever was told of first", () => {
  const told = ["b/east", "a/west", "b/west", "a/east"].map((id) => {
    const [instance = "", cluster = ""] = id.split("/");
    return sampleWorkload({ instance, cluster });
  });
  const state = told.reduce(withWorkload, sampleState());
  expect(state.workloads.map(({ id }) => id)).toEqual(["a/east", "a/west", "b/east", "b/west"]);
});

test("what happens again is counted, the latest comes first, and there are never too many", () => {
  const first = sampleEvent({ atMs: 2000, message: "second" });
  const late = sampleEvent({ atMs: 1000, message: "first", count: 2 });
  const other = sampleEvent({ reason: "Started", atMs: 3000 });
  const { events } = [first, other, late].reduce(withEvent, sampleState());
  expect(events.map(({ reason, message, count }) => [reason, message, count])).toEqual([
    ["Started", other.message, 1],
    ["BackOff", "second", 3],
  ]);
  const many = Array.from({ length: 500 }, (_, index) => sampleEvent({ reason: `R${index}`, atMs: index }));
  const after = many.reduce(withEvent, sampleState()).events;
  expect([after.length, after[0]?.reason]).toEqual([50, "R499"]);
});

test("nothing that a terminal would obey gets onto it, nor a text without end", () => {
  expect(printable("a\u001B[2J\u0007b\r\nc\u202Ed\u{1F600}")).toBe("a?[2J?b c?d?");
  expect(printable("x".repeat(1_000_000))).toHaveLength(400);
});
