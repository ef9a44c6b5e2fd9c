import { expect, onTestFinished, test } from "vitest";

import { MovingClock } from "./moving-clock.ts";

test("wakes who sleeps and who gathers, and lets no request be late", async () => {
  const clock = new MovingClock();
  const happened: string[] = [];
  void clock.sleep(30_000).then(() => happened.push("somebody woke"));
  clock.after(2_000, () => happened.push("what was gathered is sent"));
  onTestFinished(clock.after(20_000, () => happened.push("a request is late")));
  await clock.advance(60_000);
  expect(happened).toEqual(["what was gathered is sent", "somebody woke"]);
});
