import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { FakeStreams } from "../live/testing/fake-streams.ts";
import { watchPods } from "./watch-pods.ts";

function watch(): { streams: FakeStreams; names: string[] } {
  const streams = new FakeStreams();
  const names: string[] = [];
  watchPods({
    streams,
    clock: new ManualClock(),
    random: () => 0.5,
    selection: { cluster: "edge", namespace: "shop" },
    onPod: ({ name }) => void names.push(name),
    onGone: () => {},
    onListed: () => {},
    onFailure: () => {},
  });
  streams.last.start(200);
  return { streams, names };
}

const event = (name: string, note = ""): string =>
  `${JSON.stringify({ type: "ADDED", object: { metadata: { name, annotations: { note } }, spec: {} } })}\n`;

test("a pod as large as a cluster may keep is read whole, in however many pieces it comes", () => {
  const { streams, names } = watch();
  const large = event("large", "x".repeat(1_500_000));
  for (let at = 0; at < large.length; at += 64 * 1024) streams.last.send(large.slice(at, at + 64 * 1024));
  streams.last.send(event("small"));
  expect(names).toEqual(["large", "small"]);
});

test("what is no event, or never ends, is passed over, and the others are told", () => {
  const { streams, names } = watch();
  streams.last.send("half a {\n");
  streams.last.send("y".repeat(20 * 1024 * 1024));
  streams.last.send("\n");
  streams.last.send(event("web"));
  expect(names).toEqual(["web"]);
});

test("pods whose names cannot be asked for are passed over", () => {
  const { streams, names } = watch();
  for (const name of ["", "..", "x".repeat(1_000_000), "x".repeat(254), "web"])
    streams.last.send(event(name));
  expect(names).toEqual(["web"]);
});
