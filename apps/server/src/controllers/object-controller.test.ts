import { Cluster, type StatusOf } from "@bowline/api";
import { createLogger, type LogLevel } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import {
  done,
  TerminalError,
  WaitingError,
  type Controller,
  type DeliverySource,
  type ReconcileResult,
} from "@bowline/runtime";
import { MemoryBroker } from "@bowline/runtime/testing";
import type { Fence, Store } from "@bowline/store";
import { cluster, openTestStore } from "@bowline/store/testing";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { neverAnswered } from "../broker/broker.ts";
import { objectController, loggedReconciler } from "./object-controller.ts";
import { settled } from "./testing/settled.ts";
import type { ObjectTask } from "./object-task.ts";

type ClusterTask = ObjectTask<typeof Cluster>;

let clock: ManualClock;
let store: Store;
let logged: string;
/** The reconciler as the test wants it, and the generations it was asked about. */
let behave: (object: Cluster, task: ClusterTask) => Promise<ReconcileResult>;
let seen: number[];
let controller: Controller;

beforeEach(async () => {
  clock = new ManualClock();
  store = await openTestStore({ type: "sqlite", file: ":memory:" });
  logged = "";
  seen = [];
  behave = async () => done;
});

function start(deliveries?: DeliverySource): void {
  const definition = objectController({
    kind: Cluster,
    reconcile: (object, task) => {
      seen.push(object.metadata.generation);
      return behave(object, task);
    },
  });
  const destination = { write: (line: string) => (logged += line) };
  const logger = createLogger({ name: "test", level: "debug", destination });
  controller = definition.create({ store, deliveries, clock, random: () => 0, logger });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await clock.settle();
    await running;
    expect(clock.pending).toBe(0);
  });
}

async function tell(name = "a"): Promise<void> {
  controller.enqueue(`Cluster/${name}`);
  await settled(controller, clock);
}

async function pass(ms: number): Promise<void> {
  await clock.advance(ms);
  await settled(controller, clock);
}

async function status(): Promise<StatusOf<typeof Cluster>> {
  const found = await store.objects.get(Cluster, "a");
  return found?.status ?? { conditions: [] };
}

const changesSoFar = (): Promise<number> => store.changes.head();
const events = async () => (await store.events.list()).items;

describe("The controller of a kind", () => {
  beforeEach(async () => {
    await store.objects.create(Cluster, { ...cluster("a"), finalizers: ["bowline.dev/x"] });
  });

  test("marks the generation as observed when the work is done, and writes nothing when there is nothing new", async () => {
    start();
    await tell();
    expect(await status()).toEqual({ observedGeneration: 1, conditions: [] });
    const before = await changesSoFar();
    await tell();
    expect(seen).toEqual([1, 1]);
    expect(await changesSoFar()).toBe(before);
  });

  test("skips what is gone", async () => {
    start();
    await tell("gone");
    expect(seen).toEqual([]);
  });

  test("observes the generation it has read, not one that came meanwhile", async () => {
    behave = async () => {
      await store.objects.write(Cluster, "a", () => cluster("a", { region: "eu-2" }));
      return done;
    };
    start();
    await tell();
    expect((await store.objects.get(Cluster, "a"))?.metadata.generation).toBe(2);
    expect((await status()).observedGeneration).toBe(1);
  });

  test("keeps what others wrote to the status meanwhile", async () => {
    behave = async (_object, task) => {
      await store.objects.writeStatus(Cluster, "a", (current) => ({ ...current.status, clusterUid: "u" }));
      await task.updateStatus((current) => ({ ...current, kubernetesVersion: "1.36" }));
      return done;
    };
    start();
    await tell();
    expect(await status()).toMatchObject({
      clusterUid: "u",
      kubernetesVersion: "1.36",
      observedGeneration: 1,
    });
  });

  test("never writes to another object that has got the name", async () => {
    behave = async (_object, task) => {
      await store.objects.writeFinalizers(Cluster, "a", () => []);
      await store.objects.delete(Cluster, "a");
      await store.objects.create(Cluster, cluster("a"));
      await task.updateStatus((current) => ({ ...current, kubernetesVersion: "1.36" }));
      throw new Error("not reached");
    };
    start();
    await tell();
    expect(await status()).toEqual({ conditions: [] });
    expect(controller.state()).toMatchObject({ failing: 0, deadLetters: { total: 0 } });
  });

  test("adds a finalizer, and lets a deleted object go with the last one", async () => {
    behave = async (object, task) => {
      if (object.metadata.deletedAt === undefined) await task.addFinalizer("bowline.dev/y");
      else for (const each of ["bowline.dev/x", "bowline.dev/y"]) await task.removeFinalizer(each);
      return done;
    };
    start();
    await tell();
    expect((await store.objects.get(Cluster, "a"))?.metadata.finalizers).toEqual([
      "bowline.dev/x",
      "bowline.dev/y",
    ]);
    await store.objects.delete(Cluster, "a");
    await tell();
    expect(await store.objects.get(Cluster, "a")).toBeUndefined();
  });

  test("says what it waits for, without observing", async () => {
    behave = async () => {
      throw new WaitingError("NotYet", "It is too early.", { requeueAfterMs: 60_000 });
    };
    start();
    await tell();
    expect(await status()).toEqual({
      conditions: [expect.objectContaining({ type: "Ready", status: "Unknown", reason: "NotYet" })],
    });
    behave = async () => done;
    await pass(60_000);
    expect((await status()).observedGeneration).toBe(1);
  });

  test("says why it fails from the second time on, gives up in the end, and can be found by a sweep again", async () => {
    behave = async () => {
      throw new Error("The cloud said no.");
    };
    start();
    await tell();
    expect(await status()).toEqual({ conditions: [] });
    await pass(2_000);
    const ready = { type: "Ready", status: "False", reason: "Internal", message: "The cloud said no." };
    expect((await status()).conditions).toEqual([expect.objectContaining(ready)]);
    expect(await events()).toEqual([]);
    for (let minutes = 0; minutes < 120; minutes += 5) await pass(5 * 60_000);
    expect(seen).toHaveLength(15);
    expect(controller.state().deadLetters.total).toBe(1);
    expect((await status()).observedGeneration).toBeUndefined();
    expect(await store.objects.listUnobserved({ kinds: [Cluster], limit: 1 })).toHaveLength(1);
    expect(await events()).toMatchObject([
      {
        type: "Warning",
        reason: "Internal",
        source: "cluster-controller",
        regarding: { kind: "Cluster", name: "a" },
      },
    ]);
    expect(logged).toContain("Reconcile failed");
  });

  test("is found by a sweep again also when it fails at what it had done before, because something else changed", async () => {
    start();
    await tell();
    expect((await status()).observedGeneration).toBe(1);
    behave = async () => {
      throw new Error("The cloud said no.");
    };
    await tell();
    for (let minutes = 0; minutes < 120; minutes += 5) await pass(5 * 60_000);
    expect(controller.state().deadLetters.total).toBe(1);
    expect(await store.objects.listUnobserved({ kinds: [Cluster], limit: 1 })).toHaveLength(1);
    behave = async () => done;
    await tell();
    expect((await status()).observedGeneration).toBe(1);
  });

  test("gives up at once what a person has to change, and leaves it at that until somebody does", async () => {
    behave = async () => {
      throw new TerminalError("Impossible", "That cannot be.");
    };
    start();
    await tell();
    const ready = { type: "Ready", status: "False", reason: "Impossible", observedGeneration: 1 };
    expect(await status()).toEqual({ observedGeneration: 1, conditions: [expect.objectContaining(ready)] });
    expect(await events()).toMatchObject([
      { type: "Warning", reason: "Impossible", message: "That cannot be." },
    ]);
    await pass(24 * 3_600_000);
    expect(seen).toHaveLength(1);
  });

  test("does not even look at what was handed out again and again without an answer", async () => {
    const deliveries = new MemoryBroker({ clock, ackWaitMs: 30_000 });
    deliveries.publish("Cluster/a", 1);
    const [delivery] = await deliveries.take(1, new AbortController().signal);
    await delivery?.retry(0, neverAnswered);
    start(deliveries);
    await settled(controller, clock);
    expect(seen).toEqual([]);
    expect((await status()).conditions).toMatchObject([
      { type: "Ready", status: "False", reason: "NeverFinished" },
    ]);
  });
});

async function linesOf(level: LogLevel): Promise<unknown[]> {
  const lines: string[] = [];
  const log = createLogger({ name: "test", level, destination: { write: (line) => void lines.push(line) } });
  const failing = {
    async reconcile(): Promise<never> {
      log.info("at work");
      throw new Error("no luck");
    },
  };
  const lease = { token: 7, throwIfLost: () => {} };
  const context = { signal: new AbortController().signal, lease };
  const request = { key: "Cluster/a", attempt: 2 };
  await expect(loggedReconciler(failing, log).reconcile(request, context)).rejects.toThrow("no luck");
  return lines.map((line) => JSON.parse(line));
}

test("the beginning and the end of work on a key are logged, whatever comes of it", async () => {
  const work = { key: "Cluster/a", attempt: 2, fence: 7 };
  expect(await linesOf("debug")).toMatchObject([
    { level: "debug", ...work, msg: "Reconcile begins" },
    { msg: "at work" },
    { level: "debug", ...work, msg: "Reconcile ends" },
  ]);
});

test("only who asks for debugging gets to see it", async () => {
  expect(await linesOf("info")).toMatchObject([{ msg: "at work" }]);
});

test("A reconciler is made for its host where it needs more than its object, and may write elsewhere under its fence", async () => {
  const leases = { store: store.leases, owner: "one", ttlMs: 60_000 };
  await store.objects.create(Cluster, cluster("a"));
  let fence: Fence | undefined;
  const definition = objectController({
    kind: Cluster,
    reconciler: (host) => ({
      async reconcile(object, task) {
        ({ fence } = task);
        await host.store.objects.create(Cluster, cluster(`${object.metadata.name}-child`), { fence });
        return done;
      },
    }),
  });
  const logger = createLogger({ name: "test", level: "silent" });
  controller = definition.create({ store, clock, random: () => 0, logger, leases });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  await tell();
  expect(await store.objects.get(Cluster, "a-child")).toBeDefined();
  stop.abort();
  await settled(controller, clock);
  await running;
  expect(fence).toEqual({ key: "Cluster/a", token: expect.any(Number) });
});
