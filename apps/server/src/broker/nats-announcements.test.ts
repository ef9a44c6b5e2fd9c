import { systemClock } from "@bowline/core";
import { expect, onTestFinished, test } from "vitest";

import { dialNats } from "./jetstream/dial-nats.ts";
import { NatsUnderTest } from "./testing/nats-under-test.ts";
import type { Announcement } from "@bowline/gateway";
import { NatsAnnouncements } from "./nats-announcements.ts";

function join(url: string, name = "test") {
  const heard: Announcement[] = [];
  const told = { connections: 0 };
  const announcements = new NatsAnnouncements({
    nats: { url },
    name,
    listener: { heard: (each) => void heard.push(each), connected: () => void (told.connections += 1) },
    clock: systemClock,
    random: Math.random,
  });
  onTestFinished(() => announcements.close());
  return { announcements, heard, told };
}

test("announcements reach all replicas of the installation, again after NATS was away", async () => {
  const nats = await NatsUnderTest.create();
  await nats.start();
  const one = join(nats.url);
  const two = join(nats.url);
  const stranger = join(nats.url, "another");
  const all = [one, two, stranger];
  await expect.poll(() => all.map(({ told }) => told.connections)).toEqual([1, 1, 1]);

  const connection = await dialNats({ url: nats.url }, "noise");
  onTestFinished(() => connection.close());
  connection.publish("test.replicas", "noise");
  await connection.flush();
  one.announcements.send({ replica: "one", epoch: 1, event: "holds", cluster: "edge" });
  await expect.poll(() => two.heard).toEqual([{ replica: "one", epoch: 1, event: "holds", cluster: "edge" }]);

  await nats.kill();
  await expect.poll(() => two.announcements.isConnected).toBe(false);
  two.announcements.send({ replica: "two", epoch: 1, event: "came" });
  await nats.start();
  await expect.poll(() => [one.told.connections, two.told.connections]).toEqual([2, 2]);
  two.announcements.send({ replica: "two", epoch: 2, event: "came" });
  await expect.poll(() => one.heard.at(-1)).toEqual({ replica: "two", epoch: 2, event: "came" });
  expect(stranger.heard).toEqual([]);
});
