import { systemClock } from "@bowline/core";
import { Controller, done } from "@bowline/runtime";
import { expect, onTestFinished, test } from "vitest";

import { ControllerQueues } from "./controller-queues.ts";
import { messageOf } from "./broker.ts";

const message = (name: string, kind = "Cluster") => messageOf({ kind, name, generation: 1 }, "1");
const never = new AbortController().signal;

/** A controller that notes its keys, and the way of keys to it. */
function setup(offerRoom?: number) {
  const keys: string[] = [];
  const controller = new Controller({
    name: "cluster",
    reconciler: { reconcile: async ({ key }) => (keys.push(key), done) },
    clock: systemClock,
    random: Math.random,
    onDeadLetter: () => {},
  });
  const controllers = new Map([["Cluster", controller]]);
  const queues = new ControllerQueues({ controllers, isShared: false, ...(offerRoom && { offerRoom }) });
  const stop = new AbortController();
  const run = (): void => {
    const running = controller.run(stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await running;
    });
  };
  return { controller, queues, keys, run };
}

test("what changed just now goes before what a sweep found, and each key is worked on once", async () => {
  const { queues, keys, run } = setup();
  expect(await queues.offer([message("a"), message("b"), message("a")], never)).toBe(2);
  await queues.publish([message("c"), message("c"), message("b")]);
  expect(await queues.offer([message("c")], never)).toBe(0);
  run();
  await expect.poll(() => keys).toEqual(["Cluster/c", "Cluster/b", "Cluster/a"]);
});

test("offers wait for room, and nothing else does", async () => {
  const { queues, keys, controller, run } = setup(2);
  await queues.offer([message("a"), message("b")], never);
  const offering = queues.offer([message("c"), message("d")], never);
  await queues.publish([message("e"), message("f")]);
  expect(controller.state().queue.ready).toBe(4);
  run();
  expect(await offering).toBe(2);
  await expect
    .poll(() => keys.toSorted().join(" "))
    .toBe("Cluster/a Cluster/b Cluster/c Cluster/d Cluster/e Cluster/f");
});

test("who waits for room can be told to stop", async () => {
  const { queues } = setup(1);
  await queues.offer([message("a")], never);
  const stop = new AbortController();
  const offering = queues.offer([message("b")], stop.signal);
  stop.abort(new Error("enough"));
  await expect(offering).rejects.toThrow("enough");
});

test("what has no controller is nobody's work", async () => {
  const { queues, controller } = setup();
  await queues.publish([message("x", "Token")]);
  expect(await queues.offer([message("x", "Token")], never)).toBe(0);
  expect(controller.state().queue.ready).toBe(0);
  await queues.check();
});
