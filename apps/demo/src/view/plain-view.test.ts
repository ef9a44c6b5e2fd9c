import { expect, test } from "vitest";

import { Board, withCluster, withRequests } from "../live/demo-state.ts";
import { sampleGuide, sampleRequest, sampleState } from "../testing/sample-state.ts";
import { PlainView } from "./plain-view.ts";

test("each change is told once, in the order in which it happened", () => {
  const board = new Board(sampleState({ isReady: false, clusters: [] }));
  const told: string[] = [];
  using view = new PlainView({
    board,
    guide: () => sampleGuide,
    write: (text) => told.push(...text.trimEnd().split("\n")),
  });
  const news = (): string[] => told.splice(0);
  expect(news()).toEqual(["Bowline demo: starting https://127.0.0.1:7443 and two simulated clusters."]);

  board.update((state) => withCluster(state, "edge", { place: "a plain process" }));
  const version = { phase: "connected", kubernetesVersion: "v1.33.4" } as const;
  board.update((state) => withCluster(state, "edge", version));
  board.update((state) => withCluster(state, "edge", { roundTripMs: 3 }));
  expect(news()).toEqual([
    "edge is starting",
    "edge is connected: Kubernetes v1.33.4, its agent runs in a plain process",
  ]);

  board.update((state) => ({ ...state, isReady: true }));
  expect(news()).toContain("   npx bowline get clusters");
  board.update((state) => withRequests(state, [sampleRequest("2", { verb: "get" }), sampleRequest("1")]));
  board.update((state) => withRequests(state, [sampleRequest("3", { verb: "watch" })]));
  expect(news().map((line) => /list|get|watch/u.exec(line)?.[0])).toEqual(["list", "get", "watch"]);
  view[Symbol.dispose]();
  board.update((state) => withCluster(state, "edge", { phase: "offline" }));
  expect(news()).toEqual([]);
});
