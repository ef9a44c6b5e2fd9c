import { BowlineError } from "@bowline/core";
import { expect, test } from "vitest";

import { findPods } from "./find-pods.ts";

const pod = (name: string, state: object = { running: {} }): object => ({
  metadata: { namespace: "shop", name, uid: name },
  spec: { containers: [{ name: "app" }], initContainers: [{ name: "setup" }] },
  status: { containerStatuses: [{ name: "app", containerID: "c1", restartCount: 2, state }] },
});

const answers: Readonly<Record<string, object>> = {
  "/api/v1/namespaces/shop/pods/alone": pod("alone"),
  "/apis/apps/v1/namespaces/shop/statefulsets/db": {
    spec: {
      selector: {
        matchLabels: { app: "db" },
        matchExpressions: [
          { key: "tier", operator: "In", values: ["a", "b"] },
          { key: "old", operator: "DoesNotExist" },
        ],
      },
    },
  },
  "/api/v1/namespaces/shop/pods?labelSelector=app%3Ddb%2Ctier+in+%28a%2Cb%29%2C%21old&limit=500": {
    items: [pod("db-1"), pod("db-0"), { metadata: {} }, "no pod"],
  },
  "/api/v1/namespaces/shop/replicationcontrollers/old": { spec: { selector: { app: "old" } } },
  "/api/v1/namespaces/shop/pods?labelSelector=app%3Dold&limit=500": { items: [pod("old-1"), pod("db-1")] },
  "/apis/apps/v1/namespaces/shop/deployments/all": { spec: { selector: {} } },
  "/apis/batch/v1/namespaces/shop/jobs?limit=500": {
    items: [
      {
        metadata: { ownerReferences: [{ kind: "CronJob", name: "nightly" }] },
        spec: { selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "7" } } },
      },
      { metadata: {}, spec: { selector: { matchLabels: { app: "of-somebody-else" } } } },
    ],
  },
  "/api/v1/namespaces/shop/pods?labelSelector=batch.kubernetes.io%2Fcontroller-uid%3D7&limit=500": {
    items: [pod("nightly-1", { terminated: { reason: "Error", exitCode: 2 } })],
  },
};

test("finds the pods of every kind that owns some, each once, and of nobody else", async () => {
  const api = {
    get: async (path: string): Promise<unknown> => {
      const answer = answers[path];
      if (answer !== undefined) return answer;
      throw new BowlineError("NotFound", `${path} is not there.`);
    },
    stream: () => Promise.reject(new Error("Nobody reads logs here.")),
    connect: () => Promise.reject(new Error("Nobody runs commands here.")),
  };
  const resources = [
    ["", "Pod", "alone"],
    ["apps", "StatefulSet", "db"],
    ["", "ReplicationController", "old"],
    ["apps", "Deployment", "all"],
    ["apps", "Deployment", "gone"],
    ["batch", "CronJob", "nightly"],
    ["", "ConfigMap", "none"],
  ].map(([group = "", kind = "", name = ""]) => ({
    group,
    version: "v1",
    kind,
    namespace: "shop",
    name,
    state: "applied" as const,
    health: "Healthy" as const,
  }));
  const pods = await findPods(api, resources, new AbortController().signal);
  expect(pods.map(({ name }) => name)).toEqual(["alone", "db-0", "db-1", "nightly-1", "old-1"]);
  expect(pods[3]?.containers).toEqual([
    { name: "app", isInit: false, id: "c1", isRunning: false, restarts: 2, reason: "Error, exit code 2" },
    { name: "setup", isInit: true, id: undefined, isRunning: false, restarts: 0, reason: undefined },
  ]);
});
