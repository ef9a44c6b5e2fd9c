import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test, vi } from "vitest";

import { PacedWork } from "./paced-work.ts";

function setup(work: (key: string) => Promise<number | undefined> = () => Promise.resolve(undefined)) {
  const clock = new ManualClock();
  const done = vi.fn(work);
  const onError = vi.fn();
  const paced = new PacedWork({ clock, random: () => 0, work: done, onError });
  const turns = (): string[] => done.mock.calls.map(([key]) => key);
  return { clock, paced, turns, onError };
}

describe("PacedWork", () => {
  test("does the first at once, the last for sure, and no more than one every 250 ms", async () => {
    const { clock, paced, turns } = setup();
    paced.touch("a");
    await clock.advance(0);
    expect(turns()).toEqual(["a"]);
    for (let step = 0; step < 20; step += 1) {
      paced.touch("a");
      await clock.advance(10);
    }
    expect(turns()).toHaveLength(1);
    await clock.advance(50);
    expect(turns()).toHaveLength(2);
    await clock.advance(10_000);
    expect(turns()).toHaveLength(2);
    expect(clock.pending).toBe(0);
    paced.touch("a");
    await clock.advance(0);
    expect(turns()).toHaveLength(3);
    await paced.close();
  });

  test("looks again when something changes while it looks, and never at one key twice at once", async () => {
    const held = Promise.withResolvers<undefined>();
    const { clock, paced, turns } = setup((key) =>
      key === "slow" ? held.promise : Promise.resolve(undefined),
    );
    paced.touch("slow");
    await clock.advance(0);
    paced.touch("slow");
    paced.touch("other");
    await clock.advance(1_000);
    expect(turns()).toEqual(["slow", "other"]);
    held.resolve(undefined);
    // A turn that took a second would be followed by nine of rest, which is more than somebody would wait for.
    await clock.advance(900);
    expect(turns()).toEqual(["slow", "other"]);
    await clock.advance(100);
    expect(turns()).toEqual(["slow", "other", "slow"]);
    await clock.advance(60_000);
    expect(clock.pending).toBe(0);
    await paced.close();
  });

  test("takes no more than a tenth of the time for a key", async () => {
    const { clock, paced, turns } = setup(() => clock.sleep(50).then(() => undefined));
    paced.touch("a");
    await clock.advance(50);
    paced.touch("a");
    await clock.advance(400);
    expect(turns()).toHaveLength(1);
    await clock.advance(50);
    expect(turns()).toHaveLength(2);
    // Until the second turn is over as well.
    await clock.advance(50);
    await paced.close();
  });

  test("looks again after the time it was told, or earlier when something changes", async () => {
    const { clock, paced, turns } = setup(() => Promise.resolve(turns().length === 1 ? 5_000 : undefined));
    paced.touch("a");
    await clock.advance(4_900);
    expect(turns()).toHaveLength(1);
    await clock.advance(100);
    expect(turns()).toHaveLength(2);
    paced.touchAfter("b", 30_000);
    paced.touchAfter("b", 60_000);
    paced.touch("b");
    await clock.advance(0);
    expect(turns()).toEqual(["a", "a", "b"]);
    await clock.advance(100_000);
    expect(turns()).toHaveLength(3);
    await paced.close();
  });

  test("tries again what failed, later each time", async () => {
    const { clock, paced, turns, onError } = setup(() =>
      turns().length < 3 ? Promise.reject(new Error("not now")) : Promise.resolve(undefined),
    );
    paced.touch("a");
    await clock.advance(0);
    await clock.advance(1_000);
    expect(turns()).toHaveLength(2);
    await clock.advance(1_000);
    expect(turns()).toHaveLength(2);
    await clock.advance(1_000);
    expect(turns()).toHaveLength(3);
    await clock.advance(100_000);
    expect(turns()).toHaveLength(3);
    expect(onError).toHaveBeenCalledTimes(2);
    await paced.close();
  });

  test("leaves nothing behind when it is closed", async () => {
    const { clock, paced, turns } = setup();
    paced.touch("a");
    await clock.advance(0);
    paced.touch("a");
    paced.touchAfter("b", 1_000);
    await paced.close();
    paced.touch("c");
    await clock.advance(10_000);
    expect(turns()).toEqual(["a"]);
    expect(clock.pending).toBe(0);
  });
});
