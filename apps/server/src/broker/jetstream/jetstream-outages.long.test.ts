import { setTimeout as sleep } from "node:timers/promises";

import { systemClock } from "@bowline/core";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { describe, expect, onTestFinished, test } from "vitest";

import { neverAnswered } from "../broker.ts";
import { message, takeAll } from "../testing/broker-contract.ts";
import { NatsUnderTest } from "../testing/nats-under-test.ts";
import { JetStreamBroker, type JetStreamBrokerOptions } from "./jetstream-broker.ts";

const never = new AbortController().signal;

function openBroker(nats: NatsUnderTest, options: Partial<JetStreamBrokerOptions> = {}): JetStreamBroker {
  const broker = new JetStreamBroker({
    nats: { url: nats.url },
    clock: systemClock,
    // The delays between attempts to connect are as short as chance can make them.
    random: () => 0.99,
    ...options,
  });
  onTestFinished(() => broker.close());
  return broker;
}

async function runningNats(settings?: string): Promise<NatsUnderTest> {
  const nats = await NatsUnderTest.create(settings);
  await nats.start();
  return nats;
}

async function keysIn(broker: JetStreamBroker, count: number): Promise<string[]> {
  const deliveries = await takeAll(broker.source("Cluster"), count, 10_000);
  for (const delivery of deliveries) await delivery.ack();
  return deliveries.map(({ key }) => key).toSorted();
}

describe("The broker on JetStream", () => {
  test("may be opened before NATS runs, says so meanwhile, and goes on by itself", async () => {
    const nats = await NatsUnderTest.create();
    const broker = openBroker(nats);
    await expect(broker.publish([message("a")])).rejects.toMatchObject({
      code: "BrokerUnavailable",
      message: `NATS at ${nats.url} cannot be reached: connection refused.`,
    });
    await expect(broker.check(never)).rejects.toMatchObject({ code: "BrokerUnavailable" });
    await nats.start();
    await expect.poll(() => broker.check(never)).toBeUndefined();
    await broker.publish([message("a")]);
    expect(await keysIn(broker, 1)).toEqual(["Cluster/a"]);
  });

  test("keeps what it has when NATS is killed and started again", async () => {
    const nats = await runningNats();
    const broker = openBroker(nats, { ackWaitMs: 1_000 });
    await broker.publish([message("held"), message("waiting")]);
    const taken = await broker.source("Cluster").take(1, never);
    await nats.kill();
    await expect(broker.publish([message("late")])).rejects.toMatchObject({ code: "BrokerUnavailable" });
    await nats.start();
    await expect.poll(() => broker.check(never)).toBeUndefined();
    // Through the connection there is now, although it came by the one before.
    await taken[0]?.ack();
    const rest = ["Cluster/held", "Cluster/waiting"].filter((key) => key !== taken[0]?.key);
    expect(await keysIn(broker, 1)).toEqual(rest);
    expect(await takeAll(broker.source("Cluster"), 1, 1_500)).toEqual([]);
  });

  test("delivers what is published although a killed server may believe to have delivered its key", async () => {
    const nats = await runningNats();
    const broker = openBroker(nats, { ackWaitMs: 1_000 });
    const names = Array.from({ length: 20 }, (_, index) => `k${index}`);
    await broker.publish(names.map((name) => message(name, 1)));
    // All but one are done, so that the others are gaps in the stream: nats-server 2.9 forgets gaps when it is killed.
    const [first, ...others] = await takeAll(broker.source("Cluster"), names.length);
    for (const delivery of others) await delivery.ack();
    await broker.check(never);
    // Until then it has written down what was delivered, and not what was removed.
    await sleep(400);
    await nats.kill();
    await nats.start();
    await expect.poll(() => broker.check(never)).toBeUndefined();
    await first?.ack();
    await broker.publish(names.map((name) => message(name, 2)));
    const again = await takeAll(broker.source("Cluster"), names.length, 10_000);
    expect(new Set(again.filter(({ generation }) => generation === 2).map(({ key }) => key)).size).toBe(20);
  });

  test("makes stream and consumers again when the disk was wiped, and tells that something may be lost", async () => {
    const nats = await runningNats();
    const broker = openBroker(nats);
    await broker.publish([message("lost")]);
    let losses = 0;
    broker.onLoss(() => (losses += 1));
    await nats.kill();
    await nats.wipe();
    await nats.start();
    const taking = keysIn(broker, 1);
    await expect.poll(() => losses).toBeGreaterThan(0);
    // The same id as before: what was lost is not remembered as a repetition.
    await expect.poll(() => broker.publish([message("lost")])).toBeUndefined();
    expect(await taking).toEqual(["Cluster/lost"]);
  });

  test("makes stream and consumer again when somebody deleted them while they were waited for", async () => {
    const nats = await runningNats();
    const broker = openBroker(nats);
    const source = broker.source("Cluster");
    await broker.check(never);
    const interrupted = source.take(1, never).catch((thrown: unknown) => thrown);
    const admin = await connect({ servers: nats.url });
    onTestFinished(() => admin.close());
    const manager = await jetstreamManager(admin);
    await expect
      .poll(() => manager.consumers.info("bowline-work", "Cluster"))
      .toMatchObject({ num_waiting: 1 });
    await manager.streams.delete("bowline-work");
    expect(await interrupted).toMatchObject({ code: "BrokerUnavailable" });
    const again = takeAll(source, 1);
    await broker.publish([message("a")]);
    expect((await again).map(({ key }) => key)).toEqual(["Cluster/a"]);
    await manager.consumers.delete("bowline-work", "Cluster");
    await broker.publish([message("b")]);
    const found = await takeAll(source, 2, 15_000);
    // Messages that were held when the consumer was deleted are handed out again.
    expect(found.map(({ key }) => key).toSorted()).toEqual(["Cluster/a", "Cluster/b"]);
  });

  test("drops what two replicas tell of the same change, also after it was done", async () => {
    const nats = await runningNats();
    const [one, other] = [openBroker(nats), openBroker(nats)];
    await one.publish([message("a", 1)]);
    expect(await keysIn(one, 1)).toEqual(["Cluster/a"]);
    await other.publish([message("a", 1), message("b", 1)]);
    expect(await takeAll(one.source("Cluster"), 1)).toHaveLength(1);
    expect(await takeAll(one.source("Cluster"), 1, 500)).toEqual([]);
  });

  test("keeps installations apart that share a NATS", async () => {
    const nats = await runningNats();
    const [one, other] = [openBroker(nats, { name: "one" }), openBroker(nats, { name: "other" })];
    await one.publish([message("a")]);
    expect(await takeAll(other.source("Cluster"), 1, 300)).toEqual([]);
    expect(await keysIn(one, 1)).toEqual(["Cluster/a"]);
  });

  test("does not touch a stream that is not its own", async () => {
    const nats = await runningNats();
    const admin = await connect({ servers: nats.url });
    onTestFinished(() => admin.close());
    await (await jetstreamManager(admin)).streams.add({ name: "bowline-work", subjects: ["elsewhere"] });
    await expect(openBroker(nats).check(never)).rejects.toMatchObject({
      code: "BrokerUnavailable",
      message: expect.stringContaining("not Bowline's"),
    });
  });

  test("does not choke on what somebody else put into its stream", async () => {
    const nats = await runningNats();
    const broker = openBroker(nats);
    await broker.check(never);
    const intruder = await connect({ servers: nats.url });
    onTestFinished(() => intruder.close());
    for (const body of ["no JSON", "null", '{"key":7}']) {
      await intruder.request(`bowline.work.Cluster.x${body.length}`, body);
    }
    await broker.publish([message("a")]);
    expect(await keysIn(broker, 4)).toEqual(["", "", "", "Cluster/a"]);
  });

  test("gives up unread what was delivered again and again without an answer", async () => {
    const nats = await runningNats();
    const broker = openBroker(nats);
    const source = broker.source("Cluster");
    await broker.publish([message("deadly")]);
    let attempts: number[] = [];
    for (let count = 0; count < 31; count += 1) {
      const [delivery] = await takeAll(source, 1);
      attempts = [...attempts, delivery?.attempt ?? 0];
      // To the server, one that is given back and one that never answers are the same.
      await delivery?.retry(0, 1);
    }
    expect(attempts).toEqual([...Array.from({ length: 30 }, () => 1), neverAnswered]);
  });
});
