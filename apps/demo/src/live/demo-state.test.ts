import { expect, test } from "vitest";

import { sampleRequest, sampleState } from "../testing/sample-state.ts";
import { initialState, withCluster, withKnownCluster, withoutCluster, withRequests } from "./demo-state.ts";

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
