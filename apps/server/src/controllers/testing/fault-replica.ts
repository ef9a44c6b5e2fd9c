/** A replica to be killed: runs a controller that prints when it begins and ends to work on a key. */
import { setTimeout as sleep } from "node:timers/promises";

import { Cluster } from "@bowline/api";
import { createLogger, Metrics, systemClock } from "@bowline/core";
import { done } from "@bowline/runtime";

import { JetStreamBroker } from "../../broker/jetstream/jetstream-broker.ts";
import { openStore } from "@bowline/store";
import { testKey } from "@bowline/store/testing";
import { objectController } from "../object-controller.ts";
import { startControllers } from "../start-controllers.ts";
import { countingController } from "./counting-controller.ts";

const [databaseUrl = "", natsUrl = "", owner = ""] = process.argv.slice(2);
const clock = systemClock;
const random = Math.random;
const store = await openStore({
  database: { type: "postgres", url: databaseUrl },
  encryptionKeys: [testKey("k1")],
});
const nats = new JetStreamBroker({ nats: { url: natsUrl }, clock, random, ackWaitMs: 2_000 });
const controller = objectController({
  kind: Cluster,
  concurrency: 8,
  async reconcile({ metadata: { name, generation } }) {
    process.stdout.write(`begin Cluster/${name} ${generation} ${Date.now()}\n`);
    await sleep(random() * 40);
    process.stdout.write(`end Cluster/${name} ${generation} ${Date.now()}\n`);
    return done;
  },
});
startControllers({
  store,
  nats,
  clock,
  random,
  owner,
  logger: createLogger({ name: owner, level: "silent" }),
  metrics: new Metrics({ version: "test", revision: "test" }),
  controllers: [controller, countingController],
  leaseTtlMs: 1_500,
  sweepIntervalMs: 5_000,
});
