import { createLogger, Metrics } from "@bowline/core";
import { beforeEach, expect, onTestFinished, test } from "vitest";

import { leaseHolder } from "../controllers/lease-holder.ts";
import { RepositoryPoller } from "./repository-poller.ts";
import { SharedRefs, type SeenRefs } from "./shared-refs.ts";
import { SourceHarness } from "./testing/source-harness.ts";

const commit = "c".repeat(40);
const refs: SeenRefs = [{ name: "refs/heads/main", id: commit }];

let harness: SourceHarness;

beforeEach(async () => {
  harness = await SourceHarness.open();
});

/** Whose turn it is, by the clock of the test. */
class TestLease {
  #holder = { owner: "", untilMs: 0 };

  async tryAcquire(_: string, owner: string, ttlMs: number) {
    const nowMs = harness.clock.monotonicMs();
    if (this.#holder.owner !== owner && this.#holder.untilMs > nowMs) return undefined;
    this.#holder = { owner, untilMs: nowMs + ttlMs };
    return { token: 1 };
  }

  renew = (): Promise<boolean> => Promise.resolve(true);
  release = (): Promise<void> => Promise.resolve();
}

/** A replica that looks for commits and asks a server which only counts. */
async function startPoller(owner: string, leases: TestLease) {
  const { store, clock } = harness;
  const asked: string[] = [];
  const woken: string[] = [];
  const listRefs = async ({ url }: { readonly url: string }): Promise<SeenRefs> => {
    asked.push(url);
    return refs;
  };
  const poller = new RepositoryPoller({
    store,
    refs: new SharedRefs({ listRefs }, clock),
    wake: async (followers) => void woken.push(...followers.map(({ name }) => name)),
    leads: leaseHolder({ leases, use: undefined }, { key: "git", owner, clock }),
    metrics: new Metrics({ version: "test", revision: "test" }),
    clock,
    random: () => 0.5,
    logger: createLogger({ name: "test", level: "silent" }),
  });
  onTestFinished(() => poller.close());
  await poller.start();
  return { poller, asked, woken };
}

/** Some minutes, in which whatever falls due is done. */
async function minutes(count: number): Promise<void> {
  for (let second = 0; second < count * 60; second += 5) await harness.clock.advance(5_000);
}

test("of two replicas one asks each repository, and the other goes on when it is gone", async () => {
  for (const name of ["a", "b", "c"]) {
    await harness.define({ url: `https://git.example.com/${name}.git` }, {}, name);
  }
  const leases = new TestLease();
  const [one, two] = [await startPoller("one", leases), await startPoller("two", leases)];
  await minutes(4);
  const both = [...one.asked, ...two.asked];
  expect([one.asked.length, two.asked.length]).toContain(0);
  expect(new Set(both).size).toBe(3);
  expect(both.length).toBeLessThanOrEqual(3 * 5);
  const [leader, other] = one.asked.length > 0 ? [one, two] : [two, one];
  expect(new Set(leader.woken)).toEqual(new Set(["a", "b", "c"]));
  await leader.poller.close();
  await minutes(4);
  expect(new Set(other.asked).size).toBe(3);
});
