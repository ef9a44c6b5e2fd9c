import { describe, expect, test } from "vitest";

import {
  brokenWorkload,
  nowMs,
  sampleEvent,
  sampleGuide,
  sampleRequest,
  sampleState,
  sampleWorkload,
} from "../testing/sample-state.ts";
import { demoLines, introductionLines, type Drawing } from "./demo-lines.ts";
import type { Paint } from "./line.ts";

const unpainted: Paint = (_, text) => text;
const drawing = (columns: number, rows: number): Drawing => ({ columns, rows, nowMs, paint: unpainted });

const busy = sampleState({
  requests: Array.from({ length: 50 }, (_, index) => sampleRequest(`r${index}`, { what: `pods/p${index}` })),
  events: Array.from({ length: 50 }, (_, index) => sampleEvent({ reason: `Happened${index}` })),
  workloads: Array.from({ length: 9 }, (_, index) => sampleWorkload({ instance: `shop-${index}` })),
});

describe("the picture", () => {
  test("has clusters, workloads and their events, what to try, and the latest requests", () => {
    const requests = [
      sampleRequest("b", { status: 403, verb: "delete", what: "namespaces/shop", who: "viewer" }),
      sampleRequest("a", { count: 8 }),
    ];
    const workloads = [brokenWorkload, sampleWorkload()];
    const events = [sampleEvent({ count: 4 }), sampleEvent({ reason: "Started", message: "Started." })];
    const state = sampleState({ requests, workloads, events });
    const lines = demoLines(state, sampleGuide, drawing(90, 34));
    const time = /^\d\d:\d\d:\d\d/u;
    expect(lines.map((line) => line.trim().replace(time, "00:00:00"))).toEqual([
      `Bowline demo${" ".repeat(44)}https://127.0.0.1:7443  up 1m05s`,
      "",
      "CLUSTER  STATE            VERSION  RTT     PODS  REQUESTS  AGENT RUNS IN",
      "edge     connected 1m01s  v1.33.4  2.3 ms  7/7   12        a network with no way in",
      "cloud    offline          -        -       4/5   0         a plain process",
      "",
      "WORKLOAD  CLUSTER  HEALTH      WHY",
      "reports   cloud    ✗ Degraded  ImagePullBackOff: The image cannot be pulled.",
      "shop      edge     ✓ Healthy   3 of 3 resources",
      "",
      "Events of workloads",
      "00:00:00  cloud    reports   BackOff x4           Back-off pulling image (Pod reports-1)",
      "00:00:00  cloud    reports   Started              Started.",
      ...Array.from({ length: 5 }, () => ""),
      "Try:",
      "npx bowline get clusters",
      "kubectl --context bowline-edge get pods -A",
      "",
      "Then:",
      "npx bowline server",
      "",
      "Requests  1.8/s",
      "00:00:00  edge     viewer    403     12 ms  delete  namespaces/shop",
      "00:00:00  edge     admin     200     12 ms  list    pods in shop (8 times)",
      ...Array.from({ length: 5 }, () => ""),
      "q or Ctrl-C ends the demo and removes everything it made.",
    ]);
  });

  test.each([
    [100, 40],
    [80, 24],
    [60, 16],
    [40, 12],
    [20, 5],
    [9, 3],
    [1, 1],
  ])("fits into %i columns and %i rows", (columns, rows) => {
    const lines = demoLines(busy, sampleGuide, drawing(columns, rows));
    expect(lines).toHaveLength(rows);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  });

  test("keeps room for a few of each list where there is little, and gives them the rest where there is much", () => {
    const shown = (rows: number): number[] => {
      const lines = demoLines(busy, sampleGuide, drawing(100, rows));
      return ["shop-", "Happened", "npx", "pods/p"].map(
        (text) => lines.filter((line) => line.includes(text)).length,
      );
    };
    expect(shown(14)).toEqual([4, 2, 0, 0]);
    expect(shown(19)).toEqual([6, 2, 0, 2]);
    expect(shown(26)).toEqual([8, 2, 2, 2]);
    expect(shown(60)).toEqual([9, 10, 2, 21]);
  });

  test("shows workloads in trouble where not all of them fit, in the order that they have always", () => {
    const workloads = busy.workloads.map((workload, index) =>
      index === 2 || index === 7 ? { ...workload, health: "Degraded" as const, reason: "Crash" } : workload,
    );
    const lines = demoLines({ ...busy, workloads }, sampleGuide, drawing(100, 14));
    expect(lines.slice(4, 10).map((line) => /shop-\d|… and 5 more/u.exec(line)?.[0])).toEqual([
      undefined,
      "shop-0",
      "shop-1",
      "shop-2",
      "shop-7",
      "… and 5 more",
    ]);
  });

  test("gives a reason that is too long for its line two more, where there is room", () => {
    const message = "Container reports: the image example.test/reports:2.0 cannot be pulled.";
    const state = sampleState({ workloads: [{ ...brokenWorkload, message }] });
    const lines = (rows: number): string[] =>
      demoLines(state, sampleGuide, drawing(60, rows))
        .slice(5, 8)
        .map((line) => line.trim());
    expect(lines(24)).toEqual([
      "reports   cloud    ✗ Degraded  ImagePullBackOff",
      "Container reports: the image example.test/reports:2.0",
      "cannot be pulled.",
    ]);
    expect(lines(16)[0]).toBe("reports   cloud    ✗ Degraded  ImagePullBackOff: Container…");
  });

  test("leaves no half command of a guide that does not fit, and says that there is more", () => {
    const guide = { sections: [{ title: "Try:", commands: ["one", "two three four five six seven"] }] };
    const lines = demoLines(sampleState(), guide, drawing(20, 12)).map((line) => line.trim());
    expect(lines.slice(4, 8)).toEqual(["Try:", "one", "… more to try in a…", "Requests  0.0/s"]);
  });

  test("begins before anything has started", () => {
    const lines = demoLines(sampleState({ isReady: false }), sampleGuide, drawing(100, 20));
    expect(lines).toContain(" Starting ...");
    expect(lines).toContain(" None yet.");
    expect(lines.join("\n")).not.toContain("npx bowline");
  });

  test("says what is not as it should be", () => {
    const lines = demoLines(sampleState({ notes: ["No network."] }), sampleGuide, drawing(100, 20));
    expect(lines).toContain(" No network.");
  });

  test("colours nothing but text, and cuts before it colours", () => {
    const paint: Paint = (style, text) => `<${style}>${text}</>`;
    const lines = demoLines(sampleState(), sampleGuide, { ...drawing(30, 20), paint });
    expect(lines[2]).toBe(" <bold>edge</>     <green>connected 1m01s</>  v1…");
    expect(lines[3]).toContain("<red>offline</>");
  });
});

test("where nothing can be drawn, all commands are told once and in full", () => {
  const long = "curl ".repeat(100).trim();
  const guide = { sections: [{ title: "Try:", commands: [long] }] };
  expect(introductionLines(sampleState({ notes: ["No network."] }), guide)).toEqual([
    "No network.",
    "",
    " Try:",
    `   ${long}`,
    "",
    "Ctrl-C ends the demo and removes everything it made.",
  ]);
});

test("the way to the console is below the title as soon as there is one", () => {
  const consoleLink = "http://127.0.0.1:40123/0f1e2d3c4b5a69788796a5b4c3d2e1f0";
  const lines = demoLines(sampleState({ consoleLink, isReady: false }), sampleGuide, drawing(80, 24));
  expect(lines[1]?.trim()).toBe(`Console  ${consoleLink}`);
});
