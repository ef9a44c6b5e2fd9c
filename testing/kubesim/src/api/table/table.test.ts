import { isRecord } from "@bowline/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startKubesim, type Kubesim } from "../../kubesim.ts";
import { ApiClient } from "../testing/api-client.ts";
import { humanDuration } from "./human-duration.ts";
import { compileJsonPath } from "./json-path.ts";

let sim: Kubesim;

beforeAll(async () => {
  sim = await startKubesim({ tls: false, controllers: false });
});
afterAll(() => sim.stop());

async function cells(path: string): Promise<unknown[][]> {
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const rows = (await new ApiClient(sim).get(path, { accept })).at("rows");
  return Array.isArray(rows) ? rows.map((row: unknown) => (isRecord(row) ? [row["cells"]].flat() : [])) : [];
}

function pod(name: string, status: object): void {
  const made = sim.api.create("pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: { nodeName: "node-1", containers: [{ name: "c", image: "i:1" }] },
  });
  sim.api.updateStatus("pods", { ...made, status: { ...status } });
}

describe("the rows of pods", () => {
  it.each([
    [
      "running",
      { phase: "Running", containerStatuses: [{ ready: true, restartCount: 0, state: { running: {} } }] },
      "1/1",
      "Running",
    ],
    [
      "crashing",
      {
        phase: "Running",
        containerStatuses: [
          { ready: false, restartCount: 3, state: { waiting: { reason: "CrashLoopBackOff" } } },
        ],
      },
      "0/1",
      "CrashLoopBackOff",
    ],
    [
      "pulling",
      {
        phase: "Pending",
        containerStatuses: [
          { ready: false, restartCount: 0, state: { waiting: { reason: "ErrImagePull" } } },
        ],
      },
      "0/1",
      "ErrImagePull",
    ],
    [
      "failed",
      {
        phase: "Failed",
        containerStatuses: [{ ready: false, restartCount: 0, state: { terminated: { exitCode: 2 } } }],
      },
      "0/1",
      "ExitCode:2",
    ],
    [
      "done",
      {
        phase: "Succeeded",
        containerStatuses: [
          { ready: false, restartCount: 0, state: { terminated: { exitCode: 0, reason: "Completed" } } },
        ],
      },
      "0/1",
      "Completed",
    ],
    ["evicted", { phase: "Failed", reason: "Evicted" }, "0/1", "Evicted"],
  ])("say how a %s pod is", async (name, status, ready, word) => {
    pod(name, status);
    const [row] = await cells(`/api/v1/namespaces/default/pods/${name}`);
    expect(row?.slice(0, 3)).toEqual([name, ready, word]);
  });
});

describe("the rows of other kinds", () => {
  it("show services and deployments", async () => {
    sim.api.create("services", {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "lb", namespace: "default" },
      spec: { type: "LoadBalancer", ports: [{ port: 80, protocol: "TCP", nodePort: 30080 }] },
    });
    const [service] = await cells("/api/v1/namespaces/default/services/lb");
    expect(service?.slice(0, 5)).toEqual([
      "lb",
      "LoadBalancer",
      expect.stringMatching(/^10\.96\./),
      "<pending>",
      "80:30080/TCP",
    ]);
    sim.api.create("deployments.apps", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "default" },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "c", image: "i:1" }] },
        },
      },
    });
    const [deployment] = await cells("/apis/apps/v1/namespaces/default/deployments/web");
    expect(deployment).toEqual(["web", "0/2", 0, 0, expect.any(String), "c", "i:1", "app=web"]);
  });

  it("show every kind that can be listed", async () => {
    const client = new ApiClient(sim);
    const groups = await client.get("/api/v1");
    const resources = groups.at("resources");
    const listed = Array.isArray(resources)
      ? resources.filter(
          (each: unknown) => isRecord(each) && Array.isArray(each["verbs"]) && each["verbs"].includes("list"),
        )
      : [];
    for (const { name } of listed) {
      const answer = await client.get(`/api/v1/${String(name)}`, {
        accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
      });
      expect(answer.at("kind")).toBe("Table");
    }
    expect(listed.length).toBeGreaterThan(10);
  });
});

describe("ages", () => {
  it.each([
    [0, "0s"],
    [119, "119s"],
    [120, "2m"],
    [125, "2m5s"],
    [700, "11m"],
    [3 * 3600, "3h"],
    [3 * 3600 + 120, "3h2m"],
    [10 * 3600, "10h"],
    [3 * 86_400 + 7200, "3d2h"],
    [100 * 86_400, "100d"],
    [3 * 365 * 86_400 + 86_400, "3y1d"],
  ])("of %i seconds", (seconds, text) => {
    expect(humanDuration(seconds * 1000)).toBe(text);
  });
});

describe("JSON paths of columns", () => {
  const value = {
    a: {
      "b.c": 1,
      list: [
        { type: "x", v: 1 },
        { type: "y", v: 2 },
      ],
    },
  };
  it.each([
    [".a.list[0].v", [1]],
    [".a.list[-1].v", [2]],
    [".a.list[*].v", [1, 2]],
    ['.a.list[?(@.type=="y")].v', [2]],
    [".a.b\\.c", [1]],
    [".a['b.c']", [1]],
    [".nothing.here", []],
  ])("%s", (path, found) => {
    expect(compileJsonPath(path)(value)).toEqual(found);
  });
});
