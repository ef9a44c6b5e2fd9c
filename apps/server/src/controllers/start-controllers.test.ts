import {
  Cluster,
  Credential,
  parseFieldSelector,
  placementName,
  WorkloadInstance,
  WorkloadPlacement,
} from "@bowline/api";
import { BowlineError, createLogger, Metrics, systemClock, type Clock } from "@bowline/core";
import { done } from "@bowline/runtime";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";

import type { Store } from "@bowline/store";
import { cluster, credential, instance, openTestStore, placement } from "@bowline/store/testing";
import { objectController, type ObjectController } from "./object-controller.ts";
import { startControllers, type RunningControllers } from "./start-controllers.ts";

let store: Store;
let metrics: Metrics;
let aheadMs: number;
const random = Math.random;
const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
const logger = createLogger({ name: "test", level: "silent" });

beforeEach(async () => {
  store = await openTestStore({ type: "sqlite", file: ":memory:" });
  metrics = new Metrics({ version: "test", revision: "test" });
  aheadMs = 0;
});

function start(): RunningControllers {
  const running = startControllers({ store, clock, random, logger, metrics, owner: "test" });
  onTestFinished(() => running.stop());
  return running;
}

async function observed(name: string): Promise<number | undefined> {
  return (await store.objects.get(Cluster, name))?.status.observedGeneration;
}

describe("The controllers", () => {
  test("deal with what was there before them and with every change, and leave alone what has no controller", async () => {
    await store.objects.create(Cluster, cluster("before"));
    await store.objects.create(Credential, credential("nobody-acts-on-it"));
    const running = start();
    const publish = vi.spyOn(running.broker, "publish");
    await expect.poll(() => observed("before")).toBe(1);
    await store.objects.write(Cluster, "before", () => cluster("before", { region: "eu-1" }));
    await store.objects.create(Cluster, cluster("after"));
    await expect.poll(() => observed("before")).toBe(2);
    await expect.poll(() => observed("after")).toBe(1);
    const keys = publish.mock.calls.flatMap(([messages]) => messages.map(({ key }) => key));
    expect(keys).toEqual(["Cluster/before", "Cluster/after"]);
    running.checkRunning();
    await running.checkTimely();
    expect(running.states()).toMatchObject([{ name: "cluster", isRunning: true, deadLetters: { total: 0 } }]);
    const text = await metrics.text();
    expect(text).toContain("bowline_relay_messages_total 2");
    // A sweep may find an object undone that is done by the time it is offered, and have it looked at once more.
    expect(text).toMatch(/bowline_sweep_recovered_total [1-9]/u);
    expect(text).toContain("bowline_relay_lag_seconds 0");
    expect(text).toMatch(/reconcile_total\{controller="cluster",result="success"\} [3-9]/u);
  });

  test("are not ready while changes wait too long for the broker, and are again when it is back", async () => {
    const running = start();
    await expect.poll(() => running.checkTimely()).toBeUndefined();
    const away = new BowlineError("BrokerUnavailable", "The broker is away.");
    const outages = [vi.spyOn(running.broker, "publish"), vi.spyOn(running.broker, "check")];
    for (const outage of outages) outage.mockRejectedValue(away);
    await store.objects.create(Cluster, cluster("a"));
    aheadMs = 40_000;
    await expect.poll(() => running.lag()).toMatchObject({ changes: 1 });
    await expect(running.checkTimely()).rejects.toMatchObject({ code: "ServerUnavailable" });
    expect(() => running.checkRunning()).not.toThrow();
    for (const outage of outages) outage.mockRestore();
    await expect.poll(() => running.checkTimely()).toBeUndefined();
    await expect.poll(() => observed("a")).toBe(1);
  });

  test("stop when they are told to, and are not ready then", async () => {
    const running = start();
    await expect.poll(() => running.checkTimely()).toBeUndefined();
    await running.stop();
    await running.finished;
    expect(() => running.checkRunning()).toThrow("controllers is stopped");
  });
});

describe("Controllers that watch other kinds", () => {
  /** Instances that say how many of their placements there are. */
  const counting = (seen: string[]): ObjectController =>
    objectController({
      kind: WorkloadInstance,
      watches: [
        {
          kind: WorkloadPlacement,
          namesOf: ({ object }) => [String(Reflect.get(object.spec, "instance"))],
        },
        { kind: Cluster, namesOf: (_, { store: { objects } }) => objects.listNames(WorkloadInstance) },
      ],
      reconciler: ({ store: { objects } }) => ({
        async reconcile({ metadata: { name } }, task) {
          seen.push(name);
          const fields = parseFieldSelector(WorkloadPlacement, `spec.instance=${name}`);
          const { length: clusterCount } = await objects.listNames(WorkloadPlacement, { fields });
          await task.updateStatus((status) => ({ ...status, clusterCount }));
          return done;
        },
      }),
    });

  function startCounting(owner: string, seen: string[] = []): RunningControllers {
    const running = startControllers({
      store,
      clock,
      random,
      logger,
      metrics: new Metrics({ version: "test", revision: "test" }),
      owner,
      controllers: [counting(seen)],
    });
    onTestFinished(() => running.stop());
    return running;
  }

  const counted = async (name: string): Promise<number | undefined> =>
    (await store.objects.get(WorkloadInstance, name))?.status.clusterCount;

  beforeEach(async () => {
    await store.objects.create(Cluster, cluster("c1"));
    for (const name of ["web", "api"]) {
      await store.objects.create(WorkloadInstance, instance(name, name, ["c1"]));
    }
  });

  test("act when something happens there", async () => {
    const seen: string[] = [];
    startCounting("one", seen);
    await store.objects.create(WorkloadPlacement, placement("web", "c1"));
    await expect.poll(() => counted("web")).toBe(1);
    await store.objects.delete(WorkloadPlacement, placementName("web", "c1"));
    await expect.poll(() => counted("web")).toBe(0);
    await expect.poll(() => counted("api")).toBe(0);
    const before = seen.length;
    await store.objects.write(Cluster, "c1", () => cluster("c1", { labels: { env: "prod" } }));
    await expect.poll(() => seen.slice(before).toSorted()).toEqual(["api", "web"]);
  });

  test("look at everything after a start, because nobody told them what happened before", async () => {
    const first = startCounting("one");
    await expect.poll(() => counted("web")).toBe(0);
    await first.stop();
    await first.finished;
    await store.objects.create(WorkloadPlacement, placement("web", "c1"));
    startCounting("two");
    await expect.poll(() => counted("web")).toBe(1);
  });
});
