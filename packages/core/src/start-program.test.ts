import { expect, test } from "vitest";

import { BowlineError } from "./bowline-error.ts";
import { Shutdown } from "./shutdown.ts";
import { startProgram } from "./start-program.ts";
import { ManualClock } from "./testing/index.ts";

function surroundings(): { shutdown: Shutdown; logger: { error: () => void }; closed: string[] } {
  const shutdown = new Shutdown({ clock: new ManualClock(), stepLimitMs: 1_000, totalLimitMs: 2_000 });
  const closed: string[] = [];
  shutdown.add("a port", () => void closed.push("a port"));
  return { shutdown, logger: { error: () => {} }, closed };
}

test("what has started runs until the signal", async () => {
  const { closed, ...options } = surroundings();
  const stop = new AbortController();
  expect(await startProgram({ ...options, signal: stop.signal }, () => Promise.resolve("running"))).toBe(
    "running",
  );
  expect(closed).toEqual([]);
  stop.abort();
  await options.shutdown.finished();
  expect(closed).toEqual(["a port"]);
});

test("what cannot start leaves nothing open", async () => {
  const { closed, ...options } = surroundings();
  const why = new BowlineError("InvalidArgument", "The port is taken.");
  await expect(startProgram(options, () => Promise.reject(why))).rejects.toBe(why);
  expect(closed).toEqual(["a port"]);
});

test("who gives up while it starts is told so, whatever fails then", async () => {
  const { closed, ...options } = surroundings();
  const stop = new AbortController();
  const why = new BowlineError("Cancelled", "Ctrl-C");
  const open = async (): Promise<never> => {
    stop.abort(why);
    throw new BowlineError("Internal", "torn down");
  };
  await expect(startProgram({ ...options, signal: stop.signal }, open)).rejects.toBe(why);
  expect(closed).toEqual(["a port"]);
});
