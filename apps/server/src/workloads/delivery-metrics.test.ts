import { WorkloadInstance } from "@bowline/api";
import { resources } from "@bowline/kube";
import { expect, test } from "vitest";

import { author as ada, configMap, SourceHarness } from "../sources/testing/source-harness.ts";
import { ReportingAgent } from "./testing/reporting-agent.ts";
import { WorkloadHarness } from "./testing/workload-harness.ts";

const admin = { kubernetes: { user: "admin", groups: ["system:masters"] } };

/** The value of a series; undefined while there is none. */
async function valueOf({ metrics }: WorkloadHarness, series: string): Promise<number | undefined> {
  const lines = (await metrics.text()).split("\n");
  const line = lines.find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test("requests of applies are counted by verb and answer, and how long they took", async () => {
  const harness = await WorkloadHarness.open();
  await harness.addCluster("a");
  await harness.define(`${configMap("one")}---\n${configMap("two")}`);
  await harness.place(["a"]);
  await expect.poll(() => harness.condition("a")).toBe("True Applied");
  expect(await valueOf(harness, 'bowline_apply_requests_total{verb="patch",code="2xx"}')).toBe(2);
  expect(await valueOf(harness, "bowline_apply_seconds_count")).toBe(1);
  // No commit has led here.
  expect(await valueOf(harness, "bowline_commit_to_applied_seconds_count")).toBe(0);
});

test("objects that were set right are counted", async () => {
  const harness = await WorkloadHarness.open();
  const cluster = await harness.addCluster("a");
  await harness.define(configMap("one"));
  await harness.place(["a"]);
  await expect.poll(() => harness.condition("a")).toBe("True Applied");
  const agent = await ReportingAgent.start(harness, cluster);
  await agent.report();
  expect(await valueOf(harness, "bowline_drift_corrections_total")).toBe(0);
  const at = { namespace: "default", name: "one", type: "merge" } as const;
  await cluster.client.patch(resources.configMaps, { data: { value: "9" } }, at);
  await agent.report();
  await expect.poll(() => valueOf(harness, "bowline_drift_corrections_total")).toBe(1);
});

test("prunes that are held are counted until somebody approves them, also after a restart", async () => {
  const harness = await WorkloadHarness.open();
  await harness.addCluster("a");
  const held = 'bowline_prune_held{kind="WorkloadPlacement"}';
  await harness.define(["one", "two", "three"].map((name) => configMap(name)).join("---\n"));
  await harness.place(["a"], { pruneLimit: { count: 1, percent: 1 } });
  await expect.poll(() => harness.condition("a")).toBe("True Applied");
  expect(await valueOf(harness, held)).toBe(0);
  await harness.define(configMap("one"));
  await expect.poll(() => harness.condition("a")).toBe("False PruneHeld");
  await expect.poll(() => valueOf(harness, held)).toBe(1);
  await harness.stop();
  await harness.start();
  expect(await valueOf(harness, held)).toBe(1);
  const revision = (await harness.placement("a"))?.spec.revision ?? "";
  const { store } = harness;
  const known = await store.objects.get(WorkloadInstance, "web");
  if (known === undefined) throw new Error("there is no instance");
  await harness.place(["a"], { ...known.spec, approved: { revision } });
  await expect.poll(() => harness.condition("a")).toBe("True Applied");
  await expect.poll(() => valueOf(harness, held)).toBe(0);
});

test("from a commit to where it is applied is told for clusters that waited for it, and not for new ones", async () => {
  const sources = await SourceHarness.open();
  sources.clock.setNow(Date.now());
  await sources.repository.commit({ files: { "a.yaml": configMap("one") } });
  await sources.define({}, {}, "shop");
  await sources.start();
  await sources.until("Ready True Resolved, UpToDate True Resolved", "shop");
  const harness = await WorkloadHarness.open(sources.store);
  await harness.addUser(ada.user, admin);
  for (const name of ["a", "b"]) await harness.addCluster(name);
  await harness.place(["a", "b"], { author: ada });
  for (const name of ["a", "b"]) await expect.poll(() => harness.condition(name)).toBe("True Applied");
  const count = "bowline_commit_to_applied_seconds_count";
  expect(await valueOf(harness, count)).toBe(0);
  // It is a minute and a half old when it is found.
  const files = { "a.yaml": configMap("one", "2") };
  const commit = await sources.repository.commit({ files, atMs: Date.now() + 10_000 });
  harness.laterMs = 100_000;
  sources.clock.setNow(Date.now() + 100_000);
  await sources.untilPolled(2);
  await sources.untilCommit(commit, "shop");
  await sources.poll(() => valueOf(harness, count)).toBe(2);
  const sum = (await valueOf(harness, "bowline_commit_to_applied_seconds_sum")) ?? 0;
  expect(sum).toBeGreaterThanOrEqual(2 * 80);
  await harness.addCluster("c");
  await harness.place(["a", "b", "c"], { author: ada });
  await expect.poll(() => harness.condition("c")).toBe("True Applied");
  expect(await valueOf(harness, count)).toBe(2);
});
