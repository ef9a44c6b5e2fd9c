import { systemClock } from "@bowline/core";
import { startNats, type NatsServer } from "@bowline/test-services";
import { afterAll, beforeAll } from "vitest";

import { brokerContract } from "../testing/broker-contract.ts";
import { JetStreamBroker } from "./jetstream-broker.ts";

let server: NatsServer;
let count = 0;

beforeAll(async () => {
  server = await startNats({ jetstream: true });
});
afterAll(() => server.stop());

brokerContract("on JetStream", {
  open: async (ackWaitMs) => {
    count += 1;
    const nats = { url: server.url };
    const name = `test-${count}`;
    return new JetStreamBroker({ nats, name, clock: systemClock, random: Math.random, ackWaitMs });
  },
});
