import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { PodLog, type PodLogState } from "./pod-log.ts";
import type { LogSelection } from "./pod-paths.ts";
import { failureOf, FakeLink } from "./testing/fake-link.ts";

const place = { cluster: "edge", namespace: "shop", pod: "web-1", container: "app" };
const at = (second: number, text: string): string =>
  `2026-11-18T02:00:${String(second).padStart(2, "0")}.5Z ${text}\n`;

function follow(selection: LogSelection = {}): {
  link: FakeLink;
  clock: ManualClock;
  lines: string[];
  states: PodLogState[];
  log: PodLog;
} {
  const link = new FakeLink();
  const clock = new ManualClock();
  const lines: string[] = [];
  const states: PodLogState[] = [];
  const log = new PodLog({
    link,
    clock,
    random: () => 0.5,
    place,
    selection,
    onLines: (each) => lines.push(...each.map(({ text }) => text)),
    onState: (state) => states.push(state),
  });
  return { link, clock, lines, states, log };
}

const lastPhase = (states: readonly PodLogState[]): string | undefined => states.at(-1)?.phase;

test("follows with times, from the last lines on", () => {
  const { link, lines, states } = follow({ tailLines: 100 });
  expect(link.last.path).toBe(
    "/clusters/edge/api/v1/namespaces/shop/pods/web-1/log?timestamps=true&container=app&tailLines=100&follow=true",
  );
  expect(link.last.protocol).toBe("binary.k8s.io");
  link.last.opens();
  link.last.gives("");
  link.last.gives(`${at(1, "one")}${at(2, "tw").slice(0, -1)}`);
  link.last.gives("o\n");
  expect(lines).toEqual(["one", "two"]);
  expect(lastPhase(states)).toBe("following");
});

test("after a break it goes on where it was, and tells nothing twice", async () => {
  const { link, clock, lines, states } = follow();
  link.last.opens();
  link.last.gives(at(1, "one") + at(2, "two"));
  link.last.ends(1006);
  expect(lastPhase(states)).toBe("waiting");
  await clock.advance(1_000);
  expect(link.last.path).toContain("sinceTime=2026-11-18T02%3A00%3A02.500Z");
  link.last.opens();
  link.last.gives(at(2, "two") + at(3, "three"));
  expect(lines).toEqual(["one", "two", "three"]);
});

test("where the last line does not come again, a line says that some may be missing", async () => {
  const { link, clock, lines } = follow();
  link.last.opens();
  link.last.gives(at(1, "one"));
  link.last.ends(1006);
  await clock.advance(1_000);
  link.last.opens();
  link.last.gives(at(9, "nine"));
  expect(lines).toEqual([
    "one",
    "lines may be missing here, between 2026-11-18T02:00:01.500Z and 2026-11-18T02:00:09.500Z",
    "nine",
  ]);
});

test("a container that is started again is followed again, and a line says so", async () => {
  const { link, clock, lines } = follow();
  link.last.opens();
  link.last.gives(at(1, "fatal"));
  link.last.ends(1000);
  await clock.advance(3_000);
  link.last.opens();
  link.last.gives(at(1, "fatal") + at(5, "starting"));
  expect(lines).toEqual(["fatal", "the container was started again", "starting"]);
});

test("of a pod that is over the rest is read, and no more is asked for", async () => {
  const { link, clock, lines, states, log } = follow();
  link.last.opens();
  log.finish();
  link.last.gives(at(1, "last"));
  link.last.ends(1000);
  expect(lastPhase(states)).toBe("complete");
  await clock.advance(60_000);
  expect([link.opened.length, lines]).toEqual([1, ["last"]]);
});

test.each([
  [403, "failed"],
  [404, "failed"],
  [400, "waiting"],
  [503, "waiting"],
])("refused with %i it is %s", async (status, phase) => {
  const { link, states } = follow();
  link.failure = failureOf(status, "no");
  link.last.ends(1006);
  await expect.poll(() => lastPhase(states)).toBe(phase);
  expect(states.at(-1)).toMatchObject({ failure: { message: "no" } });
  expect(link.asked[0]).toContain("limitBytes=1");
});

test("what has failed is tried again by hand", async () => {
  const { link, states, log } = follow();
  link.failure = failureOf(403);
  link.last.ends(1006);
  await expect.poll(() => lastPhase(states)).toBe("failed");
  log.retry();
  link.last.opens();
  expect([link.opened.length, lastPhase(states)]).toEqual([2, "following"]);
});

test("the run before has an end", () => {
  const { link, lines, states } = follow({ previous: true });
  expect(link.last.path).not.toContain("follow");
  link.last.opens();
  link.last.gives(`${at(1, "one")}${at(2, "two").trimEnd()}`);
  link.last.ends(1000);
  expect([lines, lastPhase(states)]).toEqual([["one", "two"], "complete"]);
});

test("closed, it tells nothing more", async () => {
  const { link, clock, lines, log } = follow();
  link.last.opens();
  log.close();
  link.last.gives(at(1, "one"));
  link.last.ends(1006);
  await clock.advance(60_000);
  expect([link.last.isClosed, link.opened.length, lines]).toEqual([true, 1, []]);
});
