import { systemClock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { InProcessBroker } from "./in-process-broker.ts";
import { brokerContract, message } from "./testing/broker-contract.ts";

brokerContract("in process", {
  open: async (ackWaitMs) => new InProcessBroker({ clock: systemClock, random: Math.random, ackWaitMs }),
});

const never = new AbortController().signal;

describe("The broker in process", () => {
  test("lets offers wait for room, and nothing else", async () => {
    const broker = new InProcessBroker({ clock: systemClock, random: Math.random, offerRoom: 2 });
    await broker.offer([message("a"), message("b")], never);
    let isDone = false;
    const offering = broker.offer([message("c"), message("d")], never).finally(() => (isDone = true));
    await broker.publish([message("e"), message("f")]);
    const source = broker.source("Cluster");
    expect(isDone).toBe(false);
    // What changed just now goes before what a sweep found.
    const first = await source.take(10, never);
    expect(first.map(({ key }) => key)).toEqual(["Cluster/e", "Cluster/f", "Cluster/a", "Cluster/b"]);
    await source.take(10, never);
    expect(await offering).toBe(2);
    await broker.close();
  });

  test("ends those who wait when it is closed, and leaves no timer behind", async () => {
    const clock = new ManualClock();
    const broker = new InProcessBroker({ clock, random: () => 0, offerRoom: 1 });
    const source = broker.source("Cluster");
    await broker.publish([message("a")]);
    await source.take(1, never);
    const taking = source.take(1, never);
    const other = broker.source("WorkloadInstance");
    await broker.publish([message("b", 1, "WorkloadInstance")]);
    const offering = broker.offer([message("c", 1, "WorkloadInstance")], never);
    await broker.close();
    await expect(taking).rejects.toMatchObject({ code: "BrokerUnavailable" });
    await expect(offering).rejects.toMatchObject({ code: "BrokerUnavailable" });
    await expect(other.take(1, never)).rejects.toMatchObject({ code: "BrokerUnavailable" });
    await expect(broker.publish([message("a")])).rejects.toMatchObject({ code: "BrokerUnavailable" });
    await expect(broker.check()).rejects.toMatchObject({ code: "BrokerUnavailable" });
    expect(clock.pending).toBe(0);
  });
});
