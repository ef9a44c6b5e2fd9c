import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { expect, onTestFinished, test } from "vitest";

import { LogInformer, type LogInformerOptions } from "./log-informer.ts";
import type { FollowQuery, LogFollower } from "./log.ts";

/** A log in memory, of numbers, whose followers can be made to fail. */
class NumberLog {
  readonly items: number[] = [];
  lists = 0;
  headFailure: BowlineError | undefined;
  #failure: BowlineError | undefined;
  #wake = (): void => {};

  append(item: number): void {
    this.items.push(item);
    this.#wake();
  }

  fail(error: BowlineError): void {
    this.#failure = error;
    this.#wake();
  }

  async head(): Promise<number> {
    this.lists += 1;
    if (this.headFailure !== undefined) throw this.headFailure;
    return this.items.at(-1) ?? 0;
  }

  follow({ after, signal }: FollowQuery): LogFollower<number> {
    const follower = { position: after, [Symbol.asyncIterator]: () => this.#follow(follower, signal) };
    return follower;
  }

  async *#follow(follower: { position: number }, signal: AbortSignal): AsyncGenerator<readonly number[]> {
    signal.addEventListener("abort", () => this.#wake());
    while (!signal.aborted) {
      const failure = this.#failure;
      this.#failure = undefined;
      if (failure !== undefined) throw failure;
      const items = this.items.filter((item) => item > follower.position);
      follower.position = this.items.at(-1) ?? follower.position;
      if (items.length > 0) yield items;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

function setup(options: Partial<LogInformerOptions<number>> = {}) {
  const log = new NumberLog();
  const clock = new ManualClock();
  /** Calls of its functions, in order. */
  const told: string[] = [];
  const informer = new LogInformer<number>({
    log,
    clock,
    random: () => 0,
    list: (revision) => void told.push(`list ${revision}`),
    handle: (items) => void told.push(...items.map(String)),
    onLost: () => void told.push("lost"),
    onError: ({ code }) => void told.push(code),
    ...options,
  });
  onTestFinished(() => informer.close());
  return { log, clock, informer, told };
}

const unavailable = new BowlineError("DatabaseUnavailable", "The database cannot be reached.");

test("lists, and then hands on what comes after that", async () => {
  const { log, informer, told } = setup();
  log.append(3);
  expect(informer.position).toBeUndefined();
  await informer.start();
  expect(informer.position).toBe(3);
  log.append(5);
  log.append(8);
  expect(await informer.reached(8, 1_000)).toBe(true);
  expect(told).toEqual(["list 3", "5", "8"]);
  expect([informer.position, informer.isFollowing]).toEqual([8, true]);
});

test("does not begin when the log cannot be read", async () => {
  const { log, informer, clock } = setup();
  log.headFailure = unavailable;
  await expect(informer.start()).rejects.toMatchObject({ code: "DatabaseUnavailable" });
  await informer.close();
  expect(clock.pending).toBe(0);
});

test("goes on from where it was after a failure, with growing delays", async () => {
  const { log, clock, informer, told } = setup();
  await informer.start();
  log.append(1);
  await informer.reached(1, 1_000);
  for (const delayMs of [100, 200]) {
    log.fail(unavailable);
    await expect.poll(() => clock.pending).toBe(1);
    log.append(log.items.length + 1);
    await clock.advance(delayMs - 1);
    expect(informer.isFollowing).toBe(false);
    log.fail(unavailable);
    await clock.advance(1);
    await expect.poll(() => clock.pending).toBe(1);
  }
  await clock.advance(5_000);
  await informer.reached(3, 1_000);
  expect(told.filter((each) => each !== "DatabaseUnavailable")).toEqual(["list 0", "1", "2", "3"]);
});

test("lists anew what the log has forgotten, and says that something was lost", async () => {
  const { log, clock, informer, told } = setup();
  await informer.start();
  log.fail(new BowlineError("Expired", "Too old."));
  await expect.poll(() => clock.pending).toBe(1);
  log.append(7);
  await clock.advance(5_000);
  await informer.reached(7, 1_000);
  log.append(9);
  await informer.reached(9, 1_000);
  expect(told).toEqual(["list 0", "lost", "Expired", "list 7", "9"]);
});

test("hands a batch on again that could not be taken, and does not count it as reached", async () => {
  const failures = [unavailable];
  const taken: number[] = [];
  const { log, clock, informer } = setup({
    handle: (items) => {
      const failure = failures.pop();
      if (failure !== undefined) throw failure;
      taken.push(...items);
    },
  });
  await informer.start();
  log.append(1);
  await expect.poll(() => clock.pending).toBe(1);
  expect(informer.position).toBe(0);
  await clock.advance(5_000);
  await informer.reached(1, 1_000);
  expect(taken).toEqual([1]);
});

test("lists before it goes on when it is told to", async () => {
  const failures = [unavailable];
  const { log, clock, informer, told } = setup({
    handle: () => {
      const failure = failures.pop();
      if (failure === undefined) return;
      informer.relist();
      throw failure;
    },
  });
  await informer.start();
  log.append(4);
  await expect.poll(() => clock.pending).toBe(1);
  await clock.advance(5_000);
  await informer.reached(4, 1_000);
  expect(told).toEqual(["list 0", "DatabaseUnavailable", "list 4"]);
});

test("waits no longer than it is asked to, and lets everybody go when it is closed", async () => {
  const { clock, informer } = setup();
  await informer.start();
  const short = informer.reached(5, 1_000);
  const long = informer.reached(5, 60_000);
  await clock.advance(1_000);
  expect(await short).toBe(false);
  await informer.close();
  expect(await long).toBe(true);
  expect(clock.pending).toBe(0);
});
