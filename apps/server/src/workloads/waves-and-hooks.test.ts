import { placementName, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { beforeEach, describe, expect, test } from "vitest";

import { ReportingAgent } from "./testing/reporting-agent.ts";
import { WorkloadHarness, type TestCluster } from "./testing/workload-harness.ts";

const config = (name: string, wave: string, value = "1"): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: default, annotations: {bowline.dev/wave: "${wave}"}}, data: {a: "${value}"}}\n---\n`;
const hook = (name: string, phase: string): string =>
  `{apiVersion: batch/v1, kind: Job, metadata: {name: ${name}, namespace: default, annotations: {bowline.dev/hook: ${phase}}}, spec: {template: {metadata: {annotations: {kubesim.bowline.dev/behaviour: run}}, spec: {restartPolicy: Never, containers: [{name: main, image: "migrate:1"}]}}}}\n---\n`;

let harness: WorkloadHarness;
let east: TestCluster;
let agent: ReportingAgent;

beforeEach(async () => {
  harness = await WorkloadHarness.open();
  east = await harness.addCluster("east");
  agent = await ReportingAgent.start(harness, east);
});

const configNames = (): string[] =>
  Array.from(east.sim.api.list("configmaps", "default"), ({ metadata }) => metadata.name)
    .filter((name) => name !== "kube-root-ca.crt")
    .toSorted();
const hookNames = (): string[] =>
  Array.from(east.sim.api.list("jobs.batch", "default"), ({ metadata }) => metadata.name).toSorted();

/** All Jobs that begin like this end so. */
function endJobs(start: string, type: "Complete" | "Failed"): void {
  for (const job of east.sim.api.list("jobs.batch", "default")) {
    if (!job.metadata.name.startsWith(start)) continue;
    const conditions = [{ type, status: "True", reason: type, message: "So it is." }];
    east.sim.api.updateStatus("jobs.batch", { ...job, status: { conditions } });
  }
}

/** The agent tells what there is until it is as expected; it was there before anybody asked for it. */
async function told<T>(look: () => T | Promise<T>) {
  return expect.poll(
    async () => {
      await agent.report();
      return look();
    },
    { timeout: 20_000, interval: 100 },
  );
}

const condition = (): Promise<string> => harness.condition("east");
const version = async (): Promise<string | undefined> =>
  (await harness.placement("east"))?.metadata.resourceVersion;

describe("Waves of a workload", () => {
  test("go on with the reports of the agent, and hold nobody up until then", async () => {
    await harness.define(config("web", "1") + config("database", "0"));
    await harness.place(["east"]);
    await expect.poll(condition).toBe("Unknown WaitingForHealth");
    expect(configNames()).toEqual(["database"]);
    const found = await harness.placement("east");
    const applied = found?.status.conditions.find(({ type }) => type === "Applied");
    expect(applied?.message).toContain("ConfigMap default/database");
    await (await told(condition)).toBe("True Applied");
    expect(configNames()).toEqual(["database", "web"]);
  });

  test("wait for what was changed to be healthy anew, and not for what it was before", async () => {
    await harness.define(config("web", "1") + config("database", "0"));
    await harness.place(["east"]);
    await (await told(() => harness.condition("east", "Ready"))).toBe("True Ready");
    await harness.define(config("web", "1", "2") + config("database", "0", "2"));
    await expect.poll(condition).toBe("Unknown WaitingForHealth");
    const valueOf = (name: string): unknown => {
      const { data } = { data: {}, ...east.sim.api.get("configmaps", "default", name) };
      return data;
    };
    expect(valueOf("database")).toEqual({ a: "2" });
    expect(valueOf("web")).toEqual({ a: "1" });
    await (await told(() => valueOf("web"))).toEqual({ a: "2" });
    await (await told(() => harness.condition("east", "Ready"))).toBe("True Ready");
  });
});

describe("Hooks of a workload", () => {
  const manifests = hook("migrate", "pre") + config("web", "0") + hook("tell", "post");

  test("run before and after the others, and are done when nothing changes any more", async () => {
    await harness.define(manifests);
    await harness.place(["east"]);
    await expect.poll(hookNames).toEqual([expect.stringMatching(/^migrate-/)]);
    await agent.report();
    expect(configNames()).toEqual([]);
    endJobs("migrate", "Complete");
    await (await told(configNames)).toEqual(["web"]);
    await (
      await told(hookNames)
    ).toEqual([expect.stringMatching(/^migrate-/), expect.stringMatching(/^tell-/)]);
    expect(await condition()).not.toBe("True Applied");
    endJobs("tell", "Complete");
    await (await told(() => harness.condition("east", "Ready"))).toBe("True Ready");

    // Their time to live is over: the workload is as well as it was, and nothing runs again.
    for (const name of hookNames()) east.sim.api.delete("jobs.batch", "default", name);
    await (
      await told(async () =>
        (await harness.placement("east"))?.status.resources.map(({ healthReason }) => healthReason),
      )
    ).toEqual(expect.arrayContaining(["HookSucceeded", "HookSucceeded"]));
    expect(await harness.condition("east", "Ready")).toBe("True Ready");
    const before = await version();
    harness.aheadMs += 61 * 60_000;
    for (let count = 0; count < 5; count += 1) await agent.report();
    expect(await version()).toBe(before);
    expect(hookNames()).toEqual([]);
  });

  test("that fail stop the revision here and say so; the next revision goes on", async () => {
    await harness.define(manifests);
    await harness.place(["east"]);
    await expect.poll(hookNames).toHaveLength(1);
    endJobs("migrate", "Failed");
    await (await told(condition)).toBe("False HookFailed");
    const found = await harness.placement("east");
    const applied = found?.status.conditions.find(({ type }) => type === "Applied");
    expect(applied?.message).toContain(`bowline logs wi/web --cluster east`);
    expect(configNames()).toEqual([]);

    await harness.define(config("web", "0"));
    await (await told(() => harness.condition("east", "Ready"))).toBe("True Ready");
    expect(configNames()).toEqual(["web"]);
    expect(hookNames()).toHaveLength(1);
  });

  test("that fail run again when the instance patches them, and the revision goes on", async () => {
    await harness.define(manifests);
    await harness.place(["east"]);
    await expect.poll(hookNames).toHaveLength(1);
    endJobs("migrate", "Failed");
    await (await told(condition)).toBe("False HookFailed");
    const [failed = ""] = hookNames();

    const again = { metadata: { annotations: { "example.com/run": "2" } } };
    const patches = [{ target: { kind: "Job" }, patch: { merge: again } }];
    const overrides = [{ selector: { matchLabels: {}, matchExpressions: [] }, parameters: {}, patches }];
    await harness.place(["east"], { overrides });
    await expect.poll(hookNames).toHaveLength(2);
    const second = hookNames().find((name) => name !== failed) ?? "";
    endJobs(second, "Complete");
    await (await told(configNames)).toEqual(["web"]);
    await (await told(hookNames)).toHaveLength(3);
    endJobs("tell", "Complete");
    await (await told(condition)).toBe("True Applied");
  });

  test("before a deletion hold it up until they have succeeded", async () => {
    await harness.define(config("web", "0") + hook("backup", "delete"));
    await harness.place(["east"]);
    await (await told(() => harness.condition("east", "Ready"))).toBe("True Ready");
    expect(hookNames()).toEqual([]);
    await harness.store.objects.delete(WorkloadInstance, "web");
    await expect.poll(hookNames).toEqual([expect.stringMatching(/^backup-/)]);
    await (await told(condition)).toBe("Unknown HookRunning");
    expect(configNames()).toEqual(["web"]);
    endJobs("backup", "Complete");
    await (await told(() => harness.placement("east"))).toBeUndefined();
    expect([...configNames(), ...hookNames()]).toEqual([]);
  });

  test("before a deletion that fail do not keep it for ever", async () => {
    await harness.define(config("web", "0") + hook("backup", "delete"));
    await harness.place(["east"]);
    await (await told(() => harness.condition("east", "Ready"))).toBe("True Ready");
    await harness.store.objects.delete(WorkloadInstance, "web");
    await expect.poll(hookNames).toHaveLength(1);
    endJobs("backup", "Failed");
    await (await told(condition)).toBe("False HookFailed");
    expect(configNames()).toEqual(["web"]);
    harness.laterMs += 11 * 60_000;
    await harness.store.objects.writeStatus(
      WorkloadPlacement,
      placementName("web", "east"),
      ({ status }) => ({
        ...status,
        healthyCount: status.healthyCount + 1,
      }),
    );
    await expect.poll(() => harness.placement("east")).toBeUndefined();
    expect([...configNames(), ...hookNames()]).toEqual([]);
    const { items } = await harness.store.events.list();
    expect(items.map(({ reason }) => reason)).toContain("DeleteHookSkipped");
  });
});
