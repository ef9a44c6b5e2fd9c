import type { KubeObject } from "@bowline/kube/shapes";
import { expect, test } from "vitest";

import { containersOf, podSpecOf } from "./pod-spec.ts";

const containers = [{ name: "web", image: "shop:1" }];
const pod: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-1" },
  spec: {
    initContainers: [{ name: "prepare", image: "prepare:1" }],
    containers: [...containers, { name: "late", image: "late:1" }],
  },
  status: {
    initContainerStatuses: [{ name: "prepare", state: { terminated: { exitCode: 0, reason: "Completed" } } }],
    containerStatuses: [
      {
        name: "web",
        ready: false,
        restartCount: 4,
        state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s" } },
        lastState: { terminated: { exitCode: 137, reason: "OOMKilled" } },
      },
    ],
  },
};

test("containers of a pod are told in the order in which they start, with how they are", () => {
  expect(containersOf(pod)).toEqual([
    {
      name: "prepare",
      image: "prepare:1",
      role: "init",
      state: "terminated",
      reason: "Completed, exit code 0",
      message: "",
      isReady: false,
      restarts: 0,
      lastEnd: "",
    },
    {
      name: "web",
      image: "shop:1",
      role: "main",
      state: "waiting",
      reason: "CrashLoopBackOff",
      message: "back-off 40s",
      isReady: false,
      restarts: 4,
      lastEnd: "OOMKilled, exit code 137",
    },
    {
      name: "late",
      image: "late:1",
      role: "main",
      reason: "",
      message: "",
      isReady: false,
      restarts: 0,
      lastEnd: "",
    },
  ]);
});

test.each([
  ["apps/v1", "Deployment", { template: { spec: { containers } } }, { containers }],
  ["batch/v1", "CronJob", { jobTemplate: { spec: { template: { spec: { containers } } } } }, { containers }],
  ["v1", "Service", { ports: [] }, undefined],
  ["example.com/v1", "Widget", { template: "no" }, undefined],
])("the pods of a %s %s are of its template", (apiVersion, kind, spec, found) => {
  expect(podSpecOf({ apiVersion, kind, metadata: {}, spec })).toEqual(found);
});
