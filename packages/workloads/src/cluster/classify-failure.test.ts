import { BowlineError } from "@bowline/core";
import { resources } from "@bowline/kube";
import { describe, expect, test } from "vitest";

import { classifyFailure } from "./classify-failure.ts";

const secret = { resource: resources.secrets, namespace: "shop", name: "key" };
const deployment = { resource: resources.deployments, namespace: "shop", name: "web" };

describe("the message of a refusal", () => {
  test.each([
    'Secret "key" is invalid: data[x]: Invalid value: "canary": must be base64',
    "failed to create typed patch object: .stringData.x: expected string, got &value.valueUnstructured{Value:canary}",
    "Secret in version v1 cannot be handled: illegal base64 data, error decoding from json: canary",
  ])("of a Secret has no value in it: %s", (message) => {
    for (const code of ["Invalid", "BadRequest", "ServerError"] as const) {
      const failure = classifyFailure(new BowlineError(code, message), secret);
      expect(JSON.stringify(failure)).not.toContain("canary");
    }
  });

  test("of anything else has, because people need it", () => {
    const message = 'Deployment "web" is invalid: spec.replicas: Invalid value: -1: must be positive';
    expect(classifyFailure(new BowlineError("Invalid", message), deployment)).toEqual({
      kind: "refused",
      problem: { reason: "Invalid", message },
    });
  });

  test("is never longer than a status can hold", () => {
    const message = `Forbidden: User "u" cannot patch resource "deployments" ${"x".repeat(5_000)}`;
    const failure = classifyFailure(new BowlineError("Forbidden", message), deployment);
    expect(failure).toMatchObject({ kind: "refused", problem: { reason: "Forbidden" } });
    const text = failure.kind === "refused" ? failure.problem.message : "";
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text).toContain('resources: ["deployments"]');
  });
});

test("what passes by itself is told apart from what somebody has to end", () => {
  const kindOf = (code: BowlineError["code"]): string =>
    classifyFailure(new BowlineError(code, "x"), deployment).kind;
  const typed = "failed to create typed patch object: .spec.replicas: expected numeric, got &{Value:x}";
  expect(classifyFailure(new BowlineError("ServerError", typed), deployment)).toMatchObject({
    kind: "refused",
  });
  const passing = [
    "AgentOffline",
    "TunnelLost",
    "Timeout",
    "TooManyRequests",
    "ServerUnavailable",
    "Conflict",
  ] as const;
  expect(passing.map(kindOf)).toEqual(passing.map(() => "passing"));
  const refused = ["NotGranted", "Forbidden", "Unauthorized", "Invalid", "BadRequest", "NotFound"] as const;
  expect(refused.map(kindOf)).toEqual(refused.map(() => "refused"));
});
