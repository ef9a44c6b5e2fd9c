import { expect, test } from "vitest";

import { healthFacts } from "../facts/health-facts.ts";
import { runEnd } from "./run-end.ts";

const job = (...conditions: object[]) => ({ apiVersion: "batch/v1", kind: "Job", status: { conditions } });
const pod = (status: object) => ({ apiVersion: "v1", kind: "Pod", status });
const waiting = { reason: "ImagePullBackOff", message: "no such image" };

test.each([
  ["a job that has not begun", job(), undefined],
  ["a job that is about to fail", job({ type: "FailureTarget", status: "True" }), undefined],
  ["a job that has succeeded", job({ type: "Complete", status: "True" }), "succeeded"],
  [
    "a job that has failed",
    job({ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }),
    "failed",
  ],
  ["a job whose failure is not so", job({ type: "Failed", status: "False" }), undefined],
  ["a pod that runs", pod({ phase: "Running" }), undefined],
  [
    "a pod without an image",
    pod({ phase: "Pending", containerStatuses: [{ state: { waiting } }] }),
    undefined,
  ],
  ["a pod that has succeeded", pod({ phase: "Succeeded" }), "succeeded"],
  ["a pod that has failed", pod({ phase: "Failed" }), "failed"],
  ["another kind", { apiVersion: "apps/v1", kind: "Deployment", status: { phase: "Failed" } }, undefined],
])("The end of %s", (_, object, end) => {
  expect(runEnd(healthFacts(object))).toBe(end);
});

test("Of what is no object there is none", () => {
  expect(runEnd(undefined)).toBeUndefined();
  expect(runEnd("Failed")).toBeUndefined();
});
