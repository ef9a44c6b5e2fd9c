import { fakeProvider } from "@bowline/providers/testing";
import type { Provider, ProviderWork } from "@bowline/providers";
import { Cluster } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { ProvisioningHarness } from "./testing/provisioning-harness.ts";

/** More than a lease lasts, and than a controller waits for one. */
const leaseMs = 60_000;

/** Every write of a record and every call of a life from nothing to nothing: the process may die right after each. */
async function countedEnds(): Promise<number> {
  const harness = await ProvisioningHarness.open();
  const points = new Points();
  await liveThrough(harness, points);
  return points.passed;
}

class Points {
  passed = 0;
  readonly #last: number;

  constructor(last = Infinity) {
    this.#last = last;
  }

  /** Never resolves after the last one: nobody hears what came of it. */
  async pass<T>(does: () => Promise<T>): Promise<T> {
    if (this.passed >= this.#last) return new Promise<never>(() => {});
    const result = await does();
    this.passed += 1;
    return this.passed >= this.#last ? new Promise<never>(() => {}) : result;
  }
}

function mortal(provider: Provider, points: Points): Provider {
  const watched = (work: ProviderWork): ProviderWork => ({
    ...work,
    call: (subject, call) => points.pass(() => work.call(subject, call)),
    records: {
      list: () => work.records.list(),
      put: (record) => points.pass(() => work.records.put(record)),
    },
  });
  return {
    ...provider,
    next: (work) => provider.next(watched(work)),
    delete: (work) => provider.delete(watched(work)),
  };
}

/** Makes a cluster and deletes it; whoever does so dies at a point, and another one goes on. */
async function liveThrough(harness: ProvisioningHarness, points: Points): Promise<void> {
  const doomed = harness.start({ owner: "one", provider: mortal(fakeProvider(harness.cloud), points) });
  await harness.create();
  await harness.look(doomed);
  for (let turn = 0; turn < 4; turn += 1) await harness.pass(doomed, 5_000);
  await harness.store.objects.delete(Cluster, "web").catch(() => {});
  await harness.look(doomed);
  for (let turn = 0; turn < 12; turn += 1) await harness.pass(doomed, 5_000);
  doomed.kill();
  await harness.clock.advance(leaseMs);
}

describe("A replica that dies in the middle", () => {
  test("after any write or call is taken over without a second call, and nothing is left", async () => {
    const ends = await countedEnds();
    expect(ends).toBeGreaterThan(12);
    for (let end = 1; end <= ends; end += 1) {
      const harness = await ProvisioningHarness.open();
      await liveThrough(harness, new Points(end));
      const other = harness.start({ owner: "two" });
      for (let turn = 0; turn < 30 && (await harness.get()) !== undefined; turn += 1) {
        await harness.look(other);
        await harness.pass(other, leaseMs);
      }
      expect(await harness.get(), `died after ${end}`).toBeUndefined();
      expect(harness.cloud.things).toEqual([]);
      const creates = harness.cloud.calls.filter((call) => call.startsWith("create"));
      expect(creates.toSorted(), `died after ${end}`).toEqual([...new Set(creates)].toSorted());
    }
  });
});
