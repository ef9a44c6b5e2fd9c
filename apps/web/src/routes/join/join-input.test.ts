import { expect, test } from "vitest";

import { applyCommand, cliCommand, maskToken, remainingText, runCommand } from "./join-commands.ts";
import { imageProblem, nameProblem, readLabel, regionProblem } from "./join-input.ts";

test.each(["edge-1", "", "a"])("%j is a name, or will be one", (name) => {
  expect(nameProblem(name, [])).toBeUndefined();
});

test.each([
  ["Edge", "It must be lower-case letters"],
  ["edge_1", "It must be lower-case letters"],
  ["-edge", "It must be lower-case letters"],
  ["a".repeat(64), "It has 64 characters, and 63 are the most."],
])("the name %j: %s", (name, problem) => {
  expect(nameProblem(name, [])).toContain(problem);
});

test("labels are read as one writes them", () => {
  expect(readLabel("env=prod")).toEqual({ key: "env", value: "prod" });
  expect(readLabel("example.com/team=a.b_c")).toEqual({ key: "example.com/team", value: "a.b_c" });
  expect(readLabel("canary")).toEqual({ key: "canary", value: "" });
  expect(readLabel("=prod")).toMatchObject({ problem: expect.stringContaining("a label key") });
  expect(readLabel("env=$(id)")).toMatchObject({ problem: expect.stringContaining("letters, digits") });
  expect(readLabel("env=a=b")).toMatchObject({ problem: expect.any(String) });
});

test("a region is one, or left out", () => {
  expect(regionProblem("")).toBeUndefined();
  expect(regionProblem("eu-central-1")).toBeUndefined();
  expect(regionProblem("EU Central")).toContain("a region such as");
});

test("an image is a name that no shell reads anything into, or left out", () => {
  expect(imageProblem("")).toBeUndefined();
  expect(imageProblem("registry.example.com:5000/bowline-agent@sha256:0a1b")).toBeUndefined();
  for (const bad of ["a b", "a;id", "$(id)", "-x"]) expect(imageProblem(bad)).toContain("an image such as");
});

test("commands say what was chosen, and leave out what is the default", () => {
  expect(cliCommand({ name: "edge" })).toBe("bowline cluster add edge | kubectl apply -f -");
  const labels = { env: "prod", "example.com/team": "a" };
  expect(cliCommand({ name: "edge", labels, region: "eu-1", rights: "observe", image: "r/a:1" })).toBe(
    "bowline cluster add edge -l env=prod -l example.com/team=a --region eu-1 --rights observe --image r/a:1 | kubectl apply -f -",
  );
  expect(runCommand({ name: "edge", labels: { env: "" } })).toBe(
    "bowline cluster add edge -l env= --run --kube-context CONTEXT",
  );
  expect(applyCommand("edge-agent.yaml")).toBe("kubectl --context CONTEXT apply -f edge-agent.yaml");
});

test("the token is not in what is shown", () => {
  const token = "bwj_abcdef";
  expect(maskToken(`a: ${token}\nb: ${token}\n`, token)).toBe("a: bwj_••••••••\nb: bwj_••••••••\n");
});

test.each([
  [0, undefined],
  [-5_000, undefined],
  [1, "0:01 min"],
  [65_000, "1:05 min"],
  [3_600_000, "1 h 0 min"],
  [90_061_000, "1 d 1 h"],
])("%i ms before the end: %s", (ms, text) => {
  const nowMs = Date.parse("2026-01-01T00:00:00Z");
  expect(remainingText(new Date(nowMs + ms).toISOString(), nowMs)).toBe(text);
});
