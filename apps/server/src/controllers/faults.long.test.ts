import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { Cluster } from "@bowline/api";
import { createLogger, Metrics, systemClock } from "@bowline/core";
import { done } from "@bowline/runtime";
import { createTempFolder, ManagedProcess, startPostgres } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import { NatsUnderTest } from "../broker/testing/nats-under-test.ts";
import type { Store } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import { objectController } from "./object-controller.ts";
import { startControllers } from "./start-controllers.ts";
import { miscounted, placeBusily } from "./testing/busy-placer.ts";
import { generations, writeBusily } from "./testing/busy-writer.ts";
import { countingController } from "./testing/counting-controller.ts";
import { WorkIntervals } from "./testing/work-intervals.ts";

const replicaFile = new URL("testing/fault-replica.ts", import.meta.url).pathname;
const settleLimitMs = 40_000;

/**
 * Writes all the while, and returns when every object is reconciled to its last generation, and everything that watches
 * others has heard of them.
 */
async function endReconciled(store: Store, work: WorkIntervals, chaos: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const writing = writeBusily(store, stop.signal);
  const placing = placeBusily(store, stop.signal);
  try {
    await chaos();
  } finally {
    stop.abort();
  }
  expect(await writing).toBeGreaterThan(100);
  expect(await placing).toBeGreaterThan(10);
  await expect
    .poll(async () => (await generations(store)).unobserved, { timeout: settleLimitMs, interval: 100 })
    .toEqual([]);
  await expect.poll(() => miscounted(store), { timeout: settleLimitMs, interval: 100 }).toEqual([]);
  expect(work.lastGenerations()).toEqual((await generations(store)).all);
  expect(work.overlaps()).toEqual([]);
}

/** Controllers on the store; returns what takes them down, with whatever their queues hold. */
function startInProcess(store: Store, work: WorkIntervals, run: number): () => Promise<void> {
  const clock = systemClock;
  const random = Math.random;
  const worker = `run-${run}`;
  const controller = objectController({
    kind: Cluster,
    async reconcile({ metadata: { name, generation } }) {
      work.begin(worker, `Cluster/${name}`, generation, performance.now());
      await sleep(random() * 20);
      work.end(worker, `Cluster/${name}`, performance.now());
      return done;
    },
  });
  const logger = createLogger({ name: "test", level: "silent" });
  const metrics = new Metrics({ version: "test", revision: "test" });
  const running = startControllers({
    store,
    clock,
    random,
    logger,
    metrics,
    owner: worker,
    controllers: [controller, countingController],
  });
  return () => running.stop();
}

test("on SQLite, whatever was in the queues is done in the end", async () => {
  const folder = await createTempFolder("faults");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const store = await openTestStore({ type: "sqlite", file: join(folder.path, "bowline.db") });
  const work = new WorkIntervals();
  let takeDown = async (): Promise<void> => {};
  onTestFinished(() => takeDown());
  await endReconciled(store, work, async () => {
    for (let run = 1; run <= 12; run += 1) {
      await takeDown();
      takeDown = startInProcess(store, work, run);
      await sleep(50 + Math.random() * 250);
    }
  });
  expect(work.count).toBeGreaterThan(100);
});

/** A replica in a process of its own, which is started again whenever it was killed. */
class Replica {
  readonly #databaseUrl: string;
  readonly #natsUrl: string;
  readonly #work: WorkIntervals;
  #process: ManagedProcess | undefined;
  #owner = "";
  #starts = 0;

  constructor(databaseUrl: string, natsUrl: string, work: WorkIntervals) {
    this.#databaseUrl = databaseUrl;
    this.#natsUrl = natsUrl;
    this.#work = work;
  }

  /** Resolves when it has begun to work, for which there has to be some. */
  async start(name: string): Promise<void> {
    this.#starts += 1;
    const owner = `${name}-${this.#starts}`;
    this.#owner = owner;
    let rest = "";
    this.#process = await ManagedProcess.start({
      command: process.execPath,
      args: [replicaFile, this.#databaseUrl, this.#natsUrl, owner],
      onOutput: (chunk) => {
        const lines = `${rest}${chunk.toString()}`.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) this.#note(owner, line);
      },
      isReady: async () => this.#work.workers.has(owner),
    });
  }

  async kill(): Promise<void> {
    const running = this.#process;
    if (running === undefined || !running.isRunning) return;
    const atMs = Date.now();
    process.kill(running.pid, "SIGKILL");
    await running.exited;
    this.#work.endAll(this.#owner, atMs);
  }

  #note(owner: string, line: string): void {
    const [what, key = "", generation, atMs] = line.split(" ");
    if (what === "begin") this.#work.begin(owner, key, Number(generation), Number(atMs));
    if (what === "end") this.#work.end(owner, key, Number(atMs));
  }
}

test("on PostgreSQL and JetStream, with replicas and NATS killed and its disk wiped", async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const nats = await NatsUnderTest.create();
  await nats.start();
  const store = await openTestStore({ type: "postgres", url: postgres.url });
  const work = new WorkIntervals();
  const replicas = ["one", "two"].map((name) => ({
    name,
    replica: new Replica(postgres.url, nats.url, work),
  }));
  onTestFinished(async () => {
    for (const { replica } of replicas) await replica.kill();
  });
  await endReconciled(store, work, async () => {
    await Promise.all(replicas.map(({ name, replica }) => replica.start(name)));
    for (let round = 0; round < 3; round += 1) {
      await sleep(300 + Math.random() * 700);
      const { name, replica } = replicas[round % 2] ?? { name: "", replica: undefined };
      await replica?.kill();
      if (round % 2 === 0) await nats.kill();
      if (round % 4 === 0) await nats.wipe();
      if (round % 2 === 0) await sleep(Math.random() * 500);
      if (round % 2 === 0) await nats.start();
      await replica?.start(name);
    }
  });
  expect(work.count).toBeGreaterThan(100);
});
