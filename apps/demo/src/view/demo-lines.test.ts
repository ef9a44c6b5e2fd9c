import { execFileSync } from "node:child_process";

import { describe, expect, test } from "vitest";

import { nowMs, sampleGuide, sampleRequest, sampleState } from "../testing/sample-state.ts";
import { demoLines, introductionLines, wrapCommand, type Drawing } from "./demo-lines.ts";
import type { Paint } from "./line.ts";

const unpainted: Paint = (_, text) => text;
const drawing = (columns: number, rows: number): Drawing => ({ columns, rows, nowMs, paint: unpainted });
const many = Array.from({ length: 50 }, (_, index) => sampleRequest(`r${index}`, { what: `pods/p${index}` }));

describe("the picture", () => {
  test("has clusters, what to try, and the latest requests", () => {
    const requests = [
      sampleRequest("b", { status: 403, verb: "delete", what: "namespaces/shop", who: "viewer" }),
      sampleRequest("a", { count: 8 }),
    ];
    const lines = demoLines(sampleState({ requests }), sampleGuide, drawing(90, 20));
    const time = /^\d\d:\d\d:\d\d/u;
    expect(lines.map((line) => line.trim().replace(time, "00:00:00"))).toEqual([
      `Bowline demo${" ".repeat(44)}https://127.0.0.1:7443  up 1m05s`,
      "",
      "CLUSTER  STATE            VERSION  RTT     PODS  REQUESTS  AGENT RUNS IN",
      "edge     connected 1m01s  v1.33.4  2.3 ms  7/7   12        a network with no way in",
      "cloud    offline          -        -       4/5   0         a plain process",
      "",
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
      "",
      "",
      "",
      "q or Ctrl-C ends the demo and removes everything it made.",
    ]);
  });

  test.each([
    [100, 40],
    [80, 24],
    [40, 12],
    [20, 5],
    [1, 1],
  ])("fits into %i columns and %i rows", (columns, rows) => {
    const lines = demoLines(sampleState({ requests: many }), sampleGuide, drawing(columns, rows));
    expect(lines).toHaveLength(rows);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  });

  test("keeps room for a few requests where there is little, and gives them the rest where there is much", () => {
    const shown = (rows: number): number =>
      demoLines(sampleState({ requests: many }), sampleGuide, drawing(100, rows)).filter((line) =>
        line.includes("pods/p"),
      ).length;
    expect(shown(14)).toBe(3);
    expect(shown(40)).toBe(40 - 16);
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
    expect(lines[3]).toBe(" <bold>edge</>     <green>connected 1m01s</>  v1…");
    expect(lines[4]).toContain("<red>offline</>");
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

const command =
  'printf %s, kubectl --context bowline-edge -H "Authorization: Bearer $(printf token)" get pods -A';

test.each([200, 95, 60, 40, 10])("in %i columns, a shell reads the same command", (columns) => {
  const run = (script: string): string => execFileSync("sh", ["-c", script], { encoding: "utf8" });
  const lines = wrapCommand(command, columns);
  expect(run(lines.join("\n"))).toBe(run(command));
});

test("lines fit, but for words that cannot", () => {
  expect(wrapCommand(command, 40)).toEqual([
    "printf %s, kubectl --context \\",
    "  bowline-edge -H \\",
    '  "Authorization: Bearer $(printf token)" \\',
    "  get pods -A",
  ]);
  expect(wrapCommand("kubectl get pods", 16)).toEqual(["kubectl get pods"]);
});
