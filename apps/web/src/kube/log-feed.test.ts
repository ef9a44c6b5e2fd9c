import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { FakeStreams } from "../live/testing/fake-streams.ts";
import { LogFeed, type LogPart, type LogTarget } from "./log-feed.ts";
import { FakeLink } from "./testing/fake-link.ts";

const web: LogTarget = { cluster: "edge", namespace: "shop", labelSelector: "app=web" };
const running = { state: { running: {} } };

function event(type: string, name: string, containers: Record<string, object>, phase = "Running"): string {
  const names = Object.keys(containers);
  return `${JSON.stringify({
    type,
    object: {
      metadata: { name },
      spec: { containers: names.map((each) => ({ name: each })) },
      status: { phase, containerStatuses: names.map((each) => ({ name: each, ...containers[each] })) },
    },
  })}\n`;
}

function open(
  targets: readonly LogTarget[] = [web],
  part: LogPart = {},
): {
  feed: LogFeed;
  link: FakeLink;
  streams: FakeStreams;
  clock: ManualClock;
  draw: () => void;
  stop: () => void;
} {
  const link = new FakeLink();
  const streams = new FakeStreams();
  const clock = new ManualClock();
  let due: (() => void)[] = [];
  const feed = new LogFeed({
    streams,
    link,
    clock,
    random: () => 0.5,
    targets,
    part,
    schedule: (callback) => void due.push(callback),
  });
  const stop = feed.subscribe(() => {});
  const draw = (): void => {
    const now = due;
    due = [];
    for (const each of now) each();
  };
  return { feed, link, streams, clock, draw, stop };
}

const texts = (feed: LogFeed): string[] => feed.snapshot.lines.map(({ source, text }) => `${source} ${text}`);

test("pods that match are followed, also those that come later, and their lines are one list", () => {
  const { feed, link, streams, draw } = open();
  expect(streams.last.request.get).toBe(
    "/clusters/edge/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb&watch=1&timeoutSeconds=300",
  );
  streams.last.start(200);
  streams.last.send(event("ADDED", "web-1", { app: running }));
  streams.last.send(event("ADDED", "web-2", { app: running }));
  streams.last.send(event("MODIFIED", "web-2", { app: running }));
  expect(link.opened.map(({ path }) => /pods\/([^/]+)\/log/u.exec(path)?.[1])).toEqual(["web-1", "web-2"]);
  for (const socket of link.opened) socket.opens();
  link.opened[0]?.gives("2026-11-18T02:00:01Z a\n2026-11-18T02:00:03Z c\n");
  link.opened[1]?.gives("2026-11-18T02:00:02Z b\n");
  draw();
  expect(texts(feed)).toEqual(["0 a", "1 b", "0 c"]);
  expect(feed.snapshot).toMatchObject({ isListed: true, total: 3, lost: 0 });
});

test("a container that has not started is asked for when it has", () => {
  const { feed, link, streams, draw } = open();
  streams.last.start(200);
  const waiting = { state: { waiting: { reason: "ImagePullBackOff", message: "Back-off pulling image" } } };
  streams.last.send(event("ADDED", "web-1", { app: waiting }, "Pending"));
  draw();
  expect(link.opened).toEqual([]);
  expect(feed.snapshot.sources).toMatchObject([
    { state: { phase: "notStarted", reason: "ImagePullBackOff: Back-off pulling image" } },
  ]);
  streams.last.send(event("MODIFIED", "web-1", { app: running }));
  expect(link.opened.length).toBe(1);
});

test("one container of several can be chosen", () => {
  const { link, streams } = open([{ ...web, container: "side" }]);
  streams.last.start(200);
  streams.last.send(event("ADDED", "web-1", { app: running, side: running }));
  expect(link.opened.map(({ path }) => path)).toEqual([expect.stringContaining("container=side")]);
});

test("a pod that is gone is marked, and not followed any further", () => {
  const { feed, link, streams, draw } = open();
  streams.last.start(200);
  streams.last.send(event("ADDED", "web-1", { app: running }));
  link.last.opens();
  streams.last.send(event("DELETED", "web-1", { app: running }));
  link.last.ends(1000);
  draw();
  expect(feed.snapshot.sources).toMatchObject([{ isGone: true, state: { phase: "complete" } }]);
});

test("more containers than can be followed are counted", () => {
  const { feed, link, streams, draw } = open();
  streams.last.start(200);
  for (let index = 0; index < 45; index++)
    streams.last.send(event("ADDED", `web-${index}`, { app: running }));
  draw();
  expect([link.opened.length, feed.snapshot.leftOut]).toEqual([40, 5]);
});

test("several clusters are followed together", () => {
  const { link, streams } = open([web, { ...web, cluster: "cloud" }]);
  for (const answer of streams.opened) {
    answer.start(200);
    answer.send(event("ADDED", "web-1", { app: running }));
  }
  expect(link.opened.map(({ path }) => path.split("/")[2])).toEqual(["edge", "cloud"]);
});

test("nobody listens any more: everything is closed, and begins anew for whoever comes", () => {
  const { feed, link, streams, stop } = open();
  streams.last.start(200);
  streams.last.send(event("ADDED", "web-1", { app: running }));
  stop();
  expect([link.last.isClosed, streams.last.isClosed]).toEqual([true, true]);
  feed.subscribe(() => {});
  expect(streams.opened.length).toBe(2);
});

test("a flood is drawn a few times a second, and emptied at once", async () => {
  const { feed, link, streams, clock, draw } = open();
  streams.last.start(200);
  streams.last.send(event("ADDED", "web-1", { app: running }));
  const [socket] = link.opened;
  socket?.opens();
  socket?.gives("2026-11-18T02:00:01Z a\n".repeat(60));
  draw();
  socket?.gives("2026-11-18T02:00:02Z b\n".repeat(60));
  draw();
  expect(feed.snapshot.lines).toHaveLength(60);
  await clock.advance(250);
  draw();
  expect(feed.snapshot).toMatchObject({ total: 120, lines: { length: 120 } });
  feed.clear();
  draw();
  expect(feed.snapshot.lines).toEqual([]);
});
