import { setTimeout as sleep } from "node:timers/promises";

import { answerCommands } from "../measure-process.ts";
import { peakRssBytes } from "../memory-of.ts";
import {
  nowMs,
  relistCount,
  sentAtLabel,
  updateCount,
  type MemoryUse,
  type SyncMeasurement,
  type UpdatesMeasurement,
} from "./measurement.ts";

/** An informer under measurement, whoever wrote it. */
export interface MeasuredInformer {
  /** Resolves when everything that exists is in the cache. */
  sync(): Promise<void>;
  /** Makes the informer read everything again, as it does when the server has forgotten where it was. */
  relist(): Promise<void>;
  count(): number;
  onUpdate(listener: (labels: Readonly<Record<string, string>>) => void): void;
}

/** What an idle process gives back to the system it gives back within this time. */
const settleMs = 1000;

/** Carries out the commands of the bench on one informer. */
export function measureInformer(informer: MeasuredInformer): void {
  answerCommands({
    sync: async (): Promise<SyncMeasurement> => {
      const startedAt = performance.now();
      await informer.sync();
      const syncMs = performance.now() - startedAt;
      return { syncMs, objects: informer.count(), ...(await memoryUse()) };
    },
    relists: async (): Promise<MemoryUse> => {
      for (let round = 0; round < relistCount; round++) await informer.relist();
      return memoryUse();
    },
    updates: () => followUpdates(informer),
  });
}

async function memoryUse(): Promise<MemoryUse> {
  await sleep(settleMs);
  const rssBytes = process.memoryUsage.rss();
  const peak = await peakRssBytes();
  globalThis.gc?.();
  return { rssBytes, peakRssBytes: peak, heapBytes: process.memoryUsage().heapUsed };
}

/** Resolves when all updates of the bench were seen. */
function followUpdates(informer: MeasuredInformer): Promise<UpdatesMeasurement> {
  const cpuBefore = process.cpuUsage();
  const latenciesMs: number[] = [];
  const { promise, resolve } = Promise.withResolvers<UpdatesMeasurement>();
  informer.onUpdate((labels) => {
    const sentAt = Number(labels[sentAtLabel]);
    if (!Number.isFinite(sentAt) || latenciesMs.length === updateCount) return;
    latenciesMs.push(nowMs() - sentAt);
    if (latenciesMs.length < updateCount) return;
    const { user, system } = process.cpuUsage(cpuBefore);
    resolve({ cpuMs: (user + system) / 1000, latenciesMs });
  });
  return promise;
}
