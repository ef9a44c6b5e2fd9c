import { Cluster, User, type ApiObject } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { sampleObject } from "../testing/sample-object.ts";
import { describeState, isMet, parseWaitCondition } from "./wait-for-object.ts";

function withReady(status: "True" | "False", observedGeneration = 1): ApiObject {
  const cluster = sampleObject(Cluster, "a", { generation: 2 });
  const condition = {
    type: "Ready",
    status,
    reason: "AgentMissing",
    message: "No agent\u001B[2J.",
    observedGeneration,
  };
  return {
    ...cluster,
    status: { conditions: [{ ...condition, lastTransitionTime: "2026-01-01T00:00:00.000Z" }] },
  };
}

describe("parseWaitCondition", () => {
  test.each([
    ["condition=Ready", { for: "condition", type: "Ready", status: "True" }],
    ["condition=ready=false", { for: "condition", type: "Ready", status: "False" }],
    ["delete", { for: "deletion" }],
    ["spec.region=eu-1,metadata.name!=b", { for: "fields" }],
  ])("reads %s", (text, expected) => {
    expect(parseWaitCondition(Cluster, text)).toMatchObject(expected);
  });

  test.each([
    [Cluster, "condition=Raedy", "A Cluster has no condition «Raedy»; did you mean «Ready»?"],
    [Cluster, "condition=Ready=Maybe", "True, False or Unknown, not «Maybe»"],
    [User, "condition=Ready", "A User has no conditions."],
    [Cluster, "Ready", "«Ready» cannot be waited for; give condition=Ready"],
    [Cluster, "spec.regoin=a", "did you mean «spec.region»?"],
  ])("refuses for a %o %s", (kind, text, message) => {
    expect(() => parseWaitCondition(kind, text)).toThrow(message);
  });
});

describe("isMet", () => {
  const ready = parseWaitCondition(Cluster, "condition=Ready");
  const notReady = parseWaitCondition(Cluster, "condition=Ready=False");

  test("a condition counts once it is about the spec as it is", () => {
    expect(isMet(ready, withReady("True", 1))).toBe(false);
    expect(isMet(ready, withReady("True", 2))).toBe(true);
    expect(isMet(notReady, withReady("False", 1))).toBe(false);
    expect(isMet(notReady, withReady("False", 2))).toBe(true);
  });

  test("a condition that is missing is Unknown", () => {
    const unknown = parseWaitCondition(Cluster, "condition=Ready=Unknown");
    expect(isMet(unknown, sampleObject(Cluster, "a"))).toBe(true);
    expect(isMet(ready, sampleObject(Cluster, "a"))).toBe(false);
  });

  test("another object of the same name is not the one that was deleted", () => {
    const cluster = sampleObject(Cluster, "a");
    expect(isMet({ for: "deletion", id: cluster.metadata.id }, cluster)).toBe(false);
    expect(isMet({ for: "deletion", id: "another" }, cluster)).toBe(true);
    expect(isMet({ for: "deletion" }, cluster)).toBe(false);
  });
});

describe("describeState", () => {
  const ready = parseWaitCondition(Cluster, "condition=Ready");

  test("says what the condition says, safe to show", () => {
    expect(describeState(ready, withReady("False", 2))).toBe(
      String.raw`Ready is False: AgentMissing, No agent\u001b[2J.`,
    );
    expect(describeState(ready, withReady("True", 1))).toBe("Ready is not known yet for its last change");
    expect(describeState(ready, sampleObject(Cluster, "a"))).toBe("Ready is not known yet");
  });
});
