/**
 * Controllers with a reconciler that does nothing: `reconcile-process.ts SQLITE_FILE`, or `… POSTGRES_URL NATS_URL`.
 * Everything around it is real: the broker, the leases where work is shared, and reading the object.
 */
import { randomBytes, randomUUID } from "node:crypto";

import { Cluster } from "@bowline/api";
import { createLogger, Metrics, systemClock } from "@bowline/core";
import { done } from "@bowline/runtime";
import {
  JetStreamBroker,
  objectController,
  startControllers,
  type RunningControllers,
} from "@bowline/server";
import { openStore } from "@bowline/store";

import { answerCommands } from "../measure-process.ts";
import { benchCluster, clusterName } from "./bench-cluster.ts";
import { databaseAt } from "./database-at.ts";
import type { LoadMeasurement } from "./measurement.ts";

const keyCount = 4000;

const [place = "", natsUrl] = process.argv.slice(2);
const common = { clock: systemClock, random: Math.random };
const nats = natsUrl === undefined ? undefined : new JetStreamBroker({ ...common, nats: { url: natsUrl } });
const database = databaseAt(place);
const store = await openStore({ database, encryptionKeys: [{ id: "bench", key: randomBytes(32) }] });

let running: RunningControllers | undefined;
let left = 0;
let allDone = Promise.withResolvers<void>();
const noOp = objectController({
  kind: Cluster,
  reconcile() {
    left -= 1;
    if (left === 0) allDone.resolve();
    return Promise.resolve(done);
  },
});

/** Resolves when as many keys were reconciled as there are objects. */
function allReconciled(): Promise<void> {
  left = keyCount;
  allDone = Promise.withResolvers();
  return allDone.promise;
}

/** Creates the objects, and resolves when each has been reconciled once: from then on nothing has to be written. */
async function start(): Promise<void> {
  const reconciled = allReconciled();
  running = startControllers({
    ...common,
    store,
    nats,
    logger: createLogger({ name: "bench", level: "warn" }),
    metrics: new Metrics({ version: "bench", revision: "bench" }),
    owner: randomUUID(),
    controllers: [noOp],
  });
  await Promise.all(
    Array.from({ length: keyCount }, (_, index) => store.objects.create(Cluster, benchCluster(index))),
  );
  await reconciled;
}

/** Has every key reconciled once more. */
async function reconcile(): Promise<LoadMeasurement> {
  const round = randomUUID();
  const messages = Array.from({ length: keyCount }, (_, index) => {
    const key = `Cluster/${clusterName(index)}`;
    return { kind: "Cluster", key, generation: 1, id: `${key}@${round}` };
  });
  const reconciled = allReconciled();
  const startedAtMs = performance.now();
  await running?.broker.publish(messages);
  await reconciled;
  return { requests: keyCount, elapsedMs: performance.now() - startedAtMs };
}

answerCommands({ start, reconcile });
