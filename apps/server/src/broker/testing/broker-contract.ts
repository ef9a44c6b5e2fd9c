import { setTimeout as sleep } from "node:timers/promises";

import type { Delivery, DeliverySource } from "@bowline/runtime";
import { describe, expect, onTestFinished, test } from "vitest";

import type { BrokerMessage } from "../broker.ts";
import type { JetStreamBroker } from "../jetstream/jetstream-broker.ts";

/** Where the contract suite gets its brokers from. */
export interface BrokerHarness {
  /** An empty broker that the test closes, with this ack wait. */
  open(ackWaitMs: number): Promise<JetStreamBroker>;
}

/** Whoever takes, on a busy machine, answers before it is over. */
const shortAckWaitMs = 1_000;
const longAckWaitMs = 30_000;
/** Long enough for what must not come to come, if it did. */
const quietMs = 250;
const retryMs = 5;

export function message(name: string, generation = 1, kind = "Cluster"): BrokerMessage {
  return { kind, key: `${kind}/${name}`, generation, id: `${kind}/${name}@${generation}` };
}

/** Takes until there are `count`, or nothing more comes for a while. */
export async function takeAll(
  source: DeliverySource,
  count: number,
  patienceMs = 20_000,
): Promise<Delivery[]> {
  const all: Delivery[] = [];
  const patience = AbortSignal.timeout(patienceMs);
  while (all.length < count && !patience.aborted) {
    // A broker that is away may refuse at once: without a pause, nothing else would get its turn, not even its return.
    const refused = (): Promise<readonly Delivery[]> => sleep(retryMs, []);
    all.push(...(await source.take(count - all.length, patience).catch(refused)));
  }
  return all;
}

/** The deliveries that are there, and none that still have to come. */
function takeQuickly(source: DeliverySource, count = 10): Promise<Delivery[]> {
  return takeAll(source, count, quietMs);
}

async function takeOne(source: DeliverySource): Promise<Delivery> {
  const [delivery] = await takeAll(source, 1);
  if (delivery === undefined) throw new Error("nothing was delivered");
  return delivery;
}

function facts(deliveries: readonly Delivery[]): unknown[] {
  return deliveries.map(({ key, generation, attempt }) => ({ key, generation, attempt }));
}

const never = new AbortController().signal;

/** The contract of every broker. */
export function brokerContract(name: string, harness: BrokerHarness): void {
  const open = async (ackWaitMs = longAckWaitMs): Promise<JetStreamBroker> => {
    const broker = await harness.open(ackWaitMs);
    onTestFinished(() => broker.close());
    return broker;
  };
  describe(`The broker ${name}`, () => {
    deliveries(open);
    redeliveries(open);
    retries(open);
    offers(open);
  });
}

type Open = (ackWaitMs?: number) => Promise<JetStreamBroker>;

function deliveries(open: Open): void {
  test("delivers a key with its generation, and not again once it is acknowledged", async () => {
    const broker = await open();
    const source = broker.source("Cluster");
    await broker.publish([message("a", 3)]);
    const delivery = await takeOne(source);
    expect(facts([delivery])).toEqual([{ key: "Cluster/a", generation: 3, attempt: 1 }]);
    await delivery.ack();
    expect(await takeQuickly(source)).toEqual([]);
  });

  test("delivers what is published while somebody waits, to each kind its own", async () => {
    const broker = await open();
    const clusters = takeOne(broker.source("Cluster"));
    const instances = takeOne(broker.source("WorkloadInstance"));
    await broker.publish([message("b", 1, "WorkloadInstance"), message("a")]);
    expect((await clusters).key).toBe("Cluster/a");
    expect((await instances).key).toBe("WorkloadInstance/b");
  });

  test("keeps one message of a key, the last", async () => {
    const broker = await open();
    await broker.publish([message("a", 1)]);
    await broker.publish([message("a", 2), message("b", 1), message("a", 3)]);
    const source = broker.source("Cluster");
    const taken = await takeAll(source, 2);
    expect(await takeQuickly(source)).toEqual([]);
    expect(facts(taken).toSorted((x, y) => (JSON.stringify(x) < JSON.stringify(y) ? -1 : 1))).toEqual([
      { key: "Cluster/a", generation: 3, attempt: 1 },
      { key: "Cluster/b", generation: 1, attempt: 1 },
    ]);
  });

  test("shares the keys between all who take, and gives each to one of them", async () => {
    const broker = await open();
    const names = Array.from({ length: 40 }, (_, index) => `k${index}`);
    await broker.publish(names.map((each) => message(each)));
    const shares = await Promise.all([
      takeAll(broker.source("Cluster"), 20),
      takeAll(broker.source("Cluster"), 20),
    ]);
    expect(shares.map((share) => share.length)).toEqual([20, 20]);
    expect(new Set(shares.flat().map(({ key }) => key)).size).toBe(40);
  });

  test("delivers once more what was published while its key was held", async () => {
    const broker = await open();
    const source = broker.source("Cluster");
    await broker.publish([message("a", 1)]);
    const first = await takeOne(source);
    await broker.publish([message("a", 2)]);
    await first.ack();
    const second = await takeOne(source);
    expect(second.generation).toBe(2);
    await second.ack();
    expect(await takeQuickly(source)).toEqual([]);
  });

  test("loses nothing to a taker who leaves while waiting", async () => {
    const broker = await open();
    const source = broker.source("Cluster");
    const leaving = new AbortController();
    const waiting = source.take(5, leaving.signal);
    await sleep(20);
    leaving.abort(new Error("leaving"));
    await expect(waiting).rejects.toMatchObject({ message: "leaving" });
    await broker.publish([message("a")]);
    expect((await takeOne(source)).key).toBe("Cluster/a");
  });

  test("lets go of a taker who leaves at any moment", async () => {
    const broker = await open();
    const source = broker.source("Cluster");
    // Each leaves a little later than the one before: while it connects, asks, and waits.
    for (let afterMs = 0; afterMs < 12; afterMs += 1) {
      const leaving = new AbortController();
      const waiting = source.take(1, leaving.signal).catch((thrown: unknown) => thrown);
      await sleep(afterMs);
      leaving.abort(new Error("leaving"));
      expect(await waiting).toMatchObject({ message: "leaving" });
    }
    await broker.publish([message("a")]);
    expect((await takeOne(source)).key).toBe("Cluster/a");
  });

  test("hands out no more than there is room for", async () => {
    const broker = await open();
    await broker.publish(["a", "b", "c", "d", "e"].map((each) => message(each)));
    const taken = await broker.source("Cluster").take(3, never);
    expect(taken.length).toBeLessThanOrEqual(3);
    expect(taken.length).toBeGreaterThan(0);
  });
}

function redeliveries(open: Open): void {
  test("delivers again what a vanished taker never answered", async () => {
    const broker = await open(shortAckWaitMs);
    await broker.publish([message("a", 7)]);
    await takeOne(broker.source("Cluster"));
    const again = await takeOne(broker.source("Cluster"));
    expect(facts([again])).toEqual([{ key: "Cluster/a", generation: 7, attempt: 1 }]);
  });

  test("waits as long as the taker says that it is still at it", async () => {
    const broker = await open(shortAckWaitMs);
    const source = broker.source("Cluster");
    await broker.publish([message("a")]);
    const delivery = await takeOne(source);
    const other = takeAll(broker.source("Cluster"), 1, 3 * shortAckWaitMs);
    const beganMs = performance.now();
    let [saidMs, longestMs] = [beganMs, 0];
    while (saidMs < beganMs + 2.5 * shortAckWaitMs) {
      await sleep(shortAckWaitMs / 10);
      const nowMs = performance.now();
      await delivery.inProgress();
      await broker.check(never);
      longestMs = Math.max(longestMs, performance.now() - saidMs);
      saidMs = nowMs;
    }
    await delivery.ack();
    const lost = await other;
    // A machine may keep somebody from saying anything for so long, and then it is right to deliver it again.
    expect(longestMs < shortAckWaitMs ? lost : []).toEqual([]);
  });

  test("neither loses nor multiplies a key whose taker answers too late", async () => {
    const broker = await open(shortAckWaitMs);
    const source = broker.source("Cluster");
    await broker.publish([message("a")]);
    const late = await takeOne(source);
    const second = await takeOne(source);
    await late.retry(0, 9);
    await second.ack();
    await late.inProgress();
    const rest = await takeQuickly(source);
    expect(rest.length).toBeLessThanOrEqual(1);
    for (const each of rest) await each.ack();
    expect(await takeQuickly(source)).toEqual([]);
  });
}

function retries(open: Open): void {
  test("delivers again after the delay, with the number of the attempt", async () => {
    const broker = await open();
    const source = broker.source("Cluster");
    await broker.publish([message("a", 4)]);
    const first = await takeOne(source);
    const beganMs = performance.now();
    await first.retry(500, 3);
    const second = await takeOne(source);
    expect(performance.now()).toBeGreaterThanOrEqual(beganMs + 500);
    expect(facts([second])).toEqual([{ key: "Cluster/a", generation: 4, attempt: 3 }]);
    await second.retry(0, 4);
    expect((await takeOne(source)).attempt).toBe(4);
  });

  test("gives back at once what is returned as it came", async () => {
    const broker = await open();
    const source = broker.source("Cluster");
    await broker.publish([message("a")]);
    const first = await takeOne(source);
    await first.retry(0, 1);
    expect(facts([await takeOne(source)])).toEqual([{ key: "Cluster/a", generation: 1, attempt: 1 }]);
  });

  test("does not let a newer change wait for the retry of an older one", async () => {
    const broker = await open();
    const source = broker.source("Cluster");
    await broker.publish([message("a", 1)]);
    await (await takeOne(source)).retry(60_000, 2);
    await broker.publish([message("a", 2)]);
    const next = await takeOne(source);
    expect(next.generation).toBe(2);
    await next.ack();
    expect(await takeQuickly(source)).toEqual([]);
  });

  test("does not let a retry take the place of a newer change", async () => {
    const broker = await open();
    const source = broker.source("Cluster");
    await broker.publish([message("a", 1)]);
    const first = await takeOne(source);
    await broker.publish([message("a", 2)]);
    await first.retry(60_000, 2);
    expect((await takeOne(source)).generation).toBe(2);
  });

  test("never delivers a dead letter again, but what is published after it", async () => {
    const broker = await open(shortAckWaitMs);
    const source = broker.source("Cluster");
    await broker.publish([message("a", 1)]);
    await (await takeOne(source)).retry(0, 5);
    await (await takeOne(source)).deadLetter("Broken");
    expect(await takeAll(source, 1, 2 * shortAckWaitMs)).toEqual([]);
    await broker.publish([message("a", 2)]);
    expect(facts([await takeOne(source)])).toEqual([{ key: "Cluster/a", generation: 2, attempt: 1 }]);
  });
}

function offers(open: Open): void {
  test("takes an offered key only when it does not have it", async () => {
    const broker = await open();
    const source = broker.source("Cluster");
    const offer = (): Promise<number> => broker.offer([message("a", 1)], never);
    expect(await offer()).toBe(1);
    expect(await offer()).toBe(0);
    const held = await takeOne(source);
    expect(await offer()).toBe(0);
    await held.retry(200, 2);
    expect(await offer()).toBe(0);
    await (await takeOne(source)).ack();
    // The broker may hear of it a little later.
    await expect.poll(offer).toBe(1);
    expect((await takeOne(source)).attempt).toBe(1);
  });

  test("takes an offer although the same generation was published and done before", async () => {
    const broker = await open();
    const source = broker.source("Cluster");
    await broker.publish([message("a", 1)]);
    await (await takeOne(source)).ack();
    await expect.poll(() => broker.offer([message("a", 1)], never)).toBe(1);
    expect((await takeOne(source)).key).toBe("Cluster/a");
  });
}
