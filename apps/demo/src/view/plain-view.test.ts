import { expect, test } from "vitest";

import {
  Board,
  withCluster,
  withEvent,
  withoutWorkload,
  withRequests,
  withWorkload,
} from "../live/demo-state.ts";
import {
  brokenWorkload,
  sampleEvent,
  sampleGuide,
  sampleRequest,
  sampleState,
} from "../testing/sample-state.ts";
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

  board.update((state) => ({ ...state, consoleLink: "http://127.0.0.1:40123/0f1e" }));
  expect(news()).toEqual(["Open the console, signed in: http://127.0.0.1:40123/0f1e"]);
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

test("how workloads do is told when it changes, and what happens again less and less often", () => {
  const board = new Board(sampleState());
  const told: string[] = [];
  using _view = new PlainView({
    board,
    guide: () => sampleGuide,
    write: (text) => told.push(...text.trimEnd().split("\n")),
  });
  const news = (): string[] => told.splice(0).map((line) => line.replace(/\d\d:\d\d:\d\d/u, "00:00:00"));
  news();
  board.update((state) => withWorkload(state, brokenWorkload));
  for (const reason of ["ErrImagePull", "ImagePullBackOff", "ErrImagePull"]) {
    board.update((state) => withWorkload(state, { ...brokenWorkload, reason }));
  }
  board.update((state) => withWorkload(state, { ...brokenWorkload, health: "Healthy", reason: "" }));
  board.update((state) => withoutWorkload(state, brokenWorkload.id));
  expect(news()).toEqual([
    "reports in cloud is ✗ Degraded: ImagePullBackOff: The image cannot be pulled.",
    "reports in cloud is ✗ Degraded: ErrImagePull: The image cannot be pulled.",
    "reports in cloud is ✓ Healthy: 1 of 2 resources",
    "reports is no longer in cloud",
  ]);
  for (let time = 1; time <= 9; time++) board.update((state) => withEvent(state, sampleEvent()));
  expect(news()).toEqual(
    ["BackOff   ", "BackOff x2", "BackOff x4", "BackOff x8"].map(
      (what) => ` 00:00:00  cloud    reports   ${what}           Back-off pulling image (Pod reports-1)`,
    ),
  );
  const normal = sampleEvent({ reason: "Pulling", isWarning: false });
  for (let time = 1; time <= 12; time++) board.update((state) => withEvent(state, normal));
  expect(news().map((line) => /Pulling(?: x\d+)?/u.exec(line)?.[0])).toEqual(["Pulling", "Pulling x10"]);
});
