import { Cluster, type Condition } from "@bowline/api";
import { expect, test } from "vitest";

import { conditionHealth, conditionSentence } from "./condition-words.ts";

const condition: Condition = {
  type: "AgentConnected",
  status: "True",
  reason: "Connected",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  observedGeneration: 1,
};

test("what does not hold is bad, unless nothing depends on it", () => {
  expect(conditionHealth(condition)).toBe("Healthy");
  expect(conditionHealth({ ...condition, status: "False" })).toBe("Degraded");
  expect(conditionHealth({ ...condition, status: "Unknown" })).toBe("Unknown");
  expect(conditionHealth({ type: "Observed", status: "False" })).toBe("Missing");
  // While a cluster is made, all of it has yet to come.
  expect(conditionHealth({ ...condition, status: "False" }, true)).toBe("Progressing");
});

test("says why, or what it means", () => {
  const sentence = (change: Partial<Condition>): string =>
    conditionSentence({ ...condition, ...change }, Cluster.conditions);
  expect(sentence({ message: "The agent has left." })).toBe("The agent has left.");
  expect(sentence({})).toBe("The agent in the cluster has a session open.");
  expect(sentence({ status: "False" })).toMatch(/^Not so: The agent/u);
  expect(sentence({ type: "constructor" })).toBe("");
});
