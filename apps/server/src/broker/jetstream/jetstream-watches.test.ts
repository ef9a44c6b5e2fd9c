import { Cluster, placementName, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { systemClock } from "@bowline/core";
import { cluster, instance, openTestStore, placement } from "@bowline/store/testing";
import { startNats, type NatsServer } from "@bowline/test-services";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { Relay } from "../relay.ts";
import { takeAll } from "../testing/broker-contract.ts";
import { JetStreamBroker } from "./jetstream-broker.ts";

let server: NatsServer;

beforeAll(async () => {
  server = await startNats({ jetstream: true });
});
afterAll(() => server.stop());

function open(): JetStreamBroker {
  const nats = { url: server.url };
  const broker = new JetStreamBroker({ nats, name: "watches", clock: systemClock, random: Math.random });
  onTestFinished(() => broker.close());
  return broker;
}

test("Two replicas that see the same change of a watched kind have it worked on once", async () => {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const names = Array.from({ length: 20 }, (_, index) => `i${index}`);
  await store.objects.create(Cluster, cluster("c1"));
  for (const name of names) {
    await store.objects.create(WorkloadInstance, instance(name, "web", ["c1"]));
    await store.objects.create(WorkloadPlacement, placement(name, "c1"));
  }
  const stop = new AbortController();
  const published: number[] = [];
  const replicas = [open(), open()];
  let skips = 0;
  const running = replicas.map((broker) =>
    new Relay({
      changes: store.changes,
      broker,
      kinds: ["WorkloadInstance"],
      watches: [
        {
          kind: "WorkloadPlacement",
          controller: "WorkloadInstance",
          namesOf: ({ object }) => [String(Reflect.get(object.spec, "instance"))],
        },
      ],
      clock: systemClock,
      random: Math.random,
      onSkip: () => (skips += 1),
      onPublished: (count) => published.push(count),
    }).run(stop.signal),
  );
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
  });
  await expect.poll(() => skips).toBe(2);
  for (const name of names) {
    await store.objects.writeStatus(WorkloadPlacement, placementName(name, "c1"), ({ status }) => ({
      ...status,
      resourceCount: 5,
    }));
  }
  await expect.poll(() => published.reduce((sum, count) => sum + count, 0)).toBe(2 * names.length);
  const [first] = replicas;
  const taken = await takeAll(open().source("WorkloadInstance"), names.length);
  expect(taken.map(({ key }) => key).toSorted()).toEqual(
    names.map((name) => `WorkloadInstance/${name}`).toSorted(),
  );
  for (const each of taken) await each.ack();
  // The second replica's messages were dropped, not kept for later.
  expect(
    await takeAll(first?.source("WorkloadInstance") ?? open().source("WorkloadInstance"), 1, 300),
  ).toEqual([]);
});

test("A failure after several changes of one object is retried, whichever change said less of it", async () => {
  const broker = open();
  const source = broker.source("WorkloadPlacement");
  const message = (generation: number, version: string) => ({
    kind: "WorkloadPlacement",
    key: "WorkloadPlacement/web",
    generation,
    id: `WorkloadPlacement/web@${version}`,
  });
  await broker.publish([message(3, "1")]);
  const [older] = await takeAll(source, 1);
  await broker.publish([message(0, "2")]);
  const [newer] = await takeAll(source, 1);
  // As a controller settles the two that it has worked on together.
  await older?.ack();
  await newer?.retry(0, 2);
  const [again] = await takeAll(source, 1);
  expect(again).toMatchObject({ key: "WorkloadPlacement/web", attempt: 2 });
  await again?.ack();
});
