import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";

import { runBowline, type Ran, type RunBowlineOptions } from "../testing/run-bowline.ts";

const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { namespace: "shop", name: "web", generation: 1 },
  spec: { replicas: 1 },
  status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
};
const nightly = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "nightly" },
  spec: { suspend: true },
};
const crashing = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "shop", name: "worker" },
  spec: {
    restartPolicy: "Always",
    containers: [{ name: "main", env: [{ name: "TOKEN", value: "hunter2" }] }],
  },
  status: {
    phase: "Running",
    containerStatuses: [
      {
        name: "main",
        restartCount: 5,
        state: { waiting: { reason: "CrashLoopBackOff" } },
        lastState: { terminated: { exitCode: 2, reason: "Error", message: "no\u001B[31m config" } },
      },
    ],
  },
};

function health(
  objects: readonly object[],
  flags: readonly string[] = [],
  options: RunBowlineOptions = {},
): Promise<Ran> {
  const stdin = objects.map((each) => stringify(each)).join("---\n");
  return runBowline(["health", "-f", "-", ...flags], { stdin, ...options });
}

test("health shows a line for each object and says nothing more when all is well", async () => {
  expect(await health([web, nightly])).toMatchObject({
    code: 0,
    error: "",
    out: [
      "NAME       KIND         HEALTH      REASON      MESSAGE",
      "shop/web   Deployment   Healthy     Available   The one pod is available.",
      "nightly    CronJob      Suspended   Suspended   No jobs are started while it is suspended.",
      "",
    ].join("\n"),
  });
});

test("health ends with 3 when something is not healthy, and shows nothing that a terminal would obey", async () => {
  const { code, out, error } = await health([web, crashing], ["--no-headers"]);
  expect({ code, error }).toEqual({ code: 3, error: "1 of 2 objects is not healthy.\n" });
  expect(out).toMatch(
    /^shop\/web .*\nshop\/worker +Pod +Degraded +CrashLoopBackOff +Container main has been/u,
  );
  expect(out).toContain("exit code 2");
  expect(out).not.toContain("\u001B");
  expect(out).not.toContain("hunter2");
});

test("health colours what is wrong, for people", async () => {
  const { out } = await health([crashing], [], { isTty: true });
  expect(out).toContain("\u001B[31mDegraded\u001B");
});

test("health takes a list, as kubectl prints it, in YAML and JSON", async () => {
  const list = { apiVersion: "v1", kind: "List", items: [web, crashing, nightly] };
  const asYaml = await health([list], ["-o", "json"]);
  expect(asYaml.code).toBe(3);
  const report: unknown = JSON.parse(asYaml.out);
  expect(report).toMatchObject({
    health: "Degraded",
    reason: "CrashLoopBackOff",
    message: expect.stringContaining("1 of 3: Container main"),
    objects: [
      { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web", health: "Healthy" },
      { kind: "Pod", health: "Degraded" },
      { kind: "CronJob", name: "nightly", health: "Suspended" },
    ],
  });
  const asJson = await health([], ["-o", "yaml"], { stdin: JSON.stringify(list) });
  expect(parse(asJson.out)).toEqual(report);
});

test("health knows by the clock which deletion is stuck", async () => {
  const metadata = {
    name: "old",
    deletionTimestamp: "2026-01-01T00:00:00Z",
    finalizers: ["example.com/keep"],
  };
  const object = { apiVersion: "example.com/v1", kind: "Widget", metadata };
  const soon = new ManualClock(Date.parse("2026-01-01T00:00:30Z"));
  expect((await health([object], [], { clock: soon })).out).toContain("Terminating");
  const late = new ManualClock(Date.parse("2026-01-02T00:00:00Z"));
  expect((await health([object], [], { clock: late })).out).toMatch(/DeletionStuck .*example\.com\/keep/u);
});

test("health reads files and folders", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bowline-health-"));
  try {
    await writeFile(join(folder, "web.yaml"), stringify(web));
    await writeFile(join(folder, "worker.json"), JSON.stringify(crashing));
    const { code, out } = await runBowline(["health", "-f", folder]);
    expect(code).toBe(3);
    expect(out.split("\n")).toHaveLength(4);
    expect(await runBowline(["health", "-f", join(folder, "none.yaml")])).toMatchObject({
      code: 2,
      out: "",
      error: expect.stringContaining("does not exist"),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each([
  ["no file", ["health"], "", 2, /--filename/u],
  ["nothing in it", ["health", "-f", "-"], "", 2, /There are no objects in -/u],
  ["an empty list", ["health", "-f", "-"], '{"kind":"List","items":[]}', 2, /There are no objects/u],
  ["no YAML", ["health", "-f", "-"], "a: [", 1, /standard input, line 1: this is not YAML/u],
  [
    "no object",
    ["health", "-f", "-"],
    "kind: Pod\n---\nhello\n",
    1,
    /document 2, line 3: there is no object here/u,
  ],
  ["no kind", ["health", "-f", "-"], "metadata: {name: a}\n", 1, /there is no object here, with a kind/u],
  ["another format", ["health", "-f", "-", "-o", "xml"], "kind: Pod\n", 2, /xml/u],
])("health refuses %s", async (_name, args, stdin, ...[code, error]) => {
  const ran = await runBowline(args, { stdin });
  expect(ran).toMatchObject({ code, out: "" });
  expect(ran.error).toMatch(error);
});
