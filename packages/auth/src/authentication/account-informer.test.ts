import { Cluster, User } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { expect, onTestFinished, test } from "vitest";

import type { Change, FollowQuery, Log, Store } from "@bowline/store";
import { cluster, openTestStore } from "@bowline/store/testing";
import { AccountInformer } from "./account-informer.ts";

interface Setup {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly changes: AccountInformer;
  /** Names of the objects whose changes arrived, and `lost` when some may have been missed. */
  readonly heard: string[];
  /** The next time somebody wants to follow, this happens; those who follow now are ended by it. */
  readonly fail: (error: Error) => void;
}

async function setup(): Promise<Setup> {
  const clock = new ManualClock();
  const store = await openTestStore({ type: "sqlite", file: ":memory:" }, { clock, pollMs: 1_000 });
  const heard: string[] = [];
  let failure: Error | undefined;
  let current = new AbortController();
  const feed: Log<Change> = {
    head: () => store.changes.head(),
    read: (query) => store.changes.read(query),
    follow(query: FollowQuery) {
      const error = failure;
      failure = undefined;
      current = new AbortController();
      const follower = store.changes.follow({
        ...query,
        signal: AbortSignal.any([query.signal, current.signal]),
      });
      return {
        get position() {
          return follower.position;
        },
        async *[Symbol.asyncIterator]() {
          if (error !== undefined) throw error;
          yield* follower;
        },
      };
    },
  };
  const changes = new AccountInformer({
    changes: feed,
    clock,
    random: () => 0,
    onChange: ({ name }) => void heard.push(name),
    onLost: () => void heard.push("lost"),
  });
  onTestFinished(() => changes.close());
  const fail = (error: Error): void => {
    failure = error;
    current.abort();
  };
  return { store, clock, changes, heard, fail };
}

async function createUser({ objects }: Store, name: string): Promise<number> {
  const metadata = { name, labels: {}, annotations: {} };
  const spec = { role: "viewer" as const, groups: [], disabled: false };
  return Number((await objects.create(User, { metadata, spec })).object.metadata.resourceVersion);
}

test("hands on the changes of Users and Tokens from the start on, in order", async () => {
  const { store, changes, heard } = await setup();
  await createUser(store, "before");
  await changes.start();
  await createUser(store, "a");
  await store.objects.create(Cluster, cluster("c"));
  expect(await changes.reached(await createUser(store, "b"), 1_000)).toBe(true);
  expect(heard).toEqual(["lost", "a", "b"]);
});

test("goes on where it was when the database could not be reached for a while", async () => {
  const { store, clock, changes, heard, fail } = await setup();
  await changes.start();
  await changes.reached(await createUser(store, "a"), 1_000);
  fail(new BowlineError("DatabaseUnavailable", "gone"));
  await clock.settle();
  const version = await createUser(store, "b");
  const reached = changes.reached(version, 60_000);
  await clock.advance(10_000);
  expect(await reached).toBe(true);
  expect(heard).toEqual(["lost", "a", "b"]);
  expect(changes.isTrusted).toBe(true);
});

test("says so when changes are not kept any more, and goes on from now", async () => {
  const { store, clock, changes, heard, fail } = await setup();
  await changes.start();
  fail(new BowlineError("Expired", "compacted"));
  await createUser(store, "missed");
  await clock.advance(30_000);
  await changes.reached(await createUser(store, "b"), 1_000);
  expect(heard).toEqual(["lost", "lost", "b"]);
});

test("trusts nobody who says nothing while there are changes", async () => {
  const clock = new ManualClock();
  let head = 1;
  const feed: Log<Change> = {
    head: () => Promise.resolve(head),
    read: () => Promise.reject(new Error("Nobody reads.")),
    follow: ({ after, signal }) => ({
      position: after,
      // oxlint-disable-next-line require-yield -- nothing ever comes
      async *[Symbol.asyncIterator]() {
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      },
    }),
  };
  const changes = new AccountInformer({
    changes: feed,
    clock,
    random: () => 0,
    onChange: () => {},
    onLost: () => {},
  });
  await changes.start();
  await clock.advance(120_000);
  expect(changes.isTrusted).toBe(true);
  head = 2;
  await clock.advance(45_000);
  expect(changes.isTrusted).toBe(false);
  await changes.close();
});

test("does not start when the database does not answer", async () => {
  const { store, changes } = await setup();
  await store.close();
  await expect(changes.start()).rejects.toMatchObject({ code: "DatabaseUnavailable" });
});

test("closing lets everybody go who waits, and leaves no timer", async () => {
  const { store, clock, changes } = await setup();
  await changes.start();
  const waiting = changes.reached(999, 60_000);
  await changes.close();
  expect(await waiting).toBe(true);
  expect(changes.isTrusted).toBe(false);
  await store.close();
  expect(clock.pending).toBe(0);
});
