import { expect, test } from "vitest";

import { configFaults, configHealth } from "./config-health.ts";

const condition = (type: string, status: "True" | "False" | "Unknown") => ({
  type,
  status,
  reason: "Because",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  observedGeneration: 1,
});
const health = (ready: "True" | "False" | "Unknown", upToDate: "True" | "False", isPaused = false) =>
  configHealth({
    spec: {
      git: { url: "https://git.example.test/fleet", ref: "main", path: ".", interval: "1m" },
      kinds: ["Cluster"],
      actsAs: "root",
      prune: true,
      pruneLimit: { count: 10, percent: 25 },
      allowEmpty: false,
      ...(isPaused ? { paused: {} } : {}),
    },
    status: { conditions: [condition("Ready", ready), condition("UpToDate", upToDate)] },
  });

test("what is there works as long as some commit was applied", () => {
  expect(health("True", "True")).toBe("Healthy");
  expect(health("True", "False")).toBe("Missing");
  expect(health("False", "False")).toBe("Degraded");
  expect(health("Unknown", "True")).toBe("Progressing");
  expect(health("True", "True", true)).toBe("Suspended");
});

test("a commit that was refused is told fault by fault, with file and line", () => {
  const told = configFaults(
    "Nothing of the commit is applied. a b.yaml: document 1, line 3: Cluster x: spec.region: must be short; to be so, cut it; z.yaml: document 2: this is not YAML; Cluster old: it is still referenced. The objects stay as they are (commit 0123abcd).",
  );
  expect(told.sentence).toBe(
    "Nothing of the commit is applied. The objects stay as they are (commit 0123abcd).",
  );
  expect(told.faults).toEqual([
    { file: "a b.yaml", line: 3, text: "Cluster x: spec.region: must be short; to be so, cut it" },
    { file: "z.yaml", text: "this is not YAML" },
    { text: "Cluster old: it is still referenced." },
  ]);
});

test("a message that names no fault stays as it is", () => {
  const message = "The server of the repository does not answer; it is asked again.";
  expect(configFaults(message)).toEqual({ sentence: message, faults: [] });
});
