import { BowlineError, type ErrorCode } from "@bowline/core";
import { resources, type Informer, type InformerHandler, type InformerState } from "@bowline/kube";
import { expect, test } from "vitest";

import { OnDemandInformer } from "./on-demand-informer.ts";

interface Fact {
  readonly value: number;
}

/** An informer that tells what the test has it tell. */
class ScriptedInformer implements Informer<Fact> {
  readonly resource = resources.pods;
  readonly handlers: InformerHandler<Fact>[] = [];
  readonly stopped = Promise.withResolvers<void>();
  isStarted = false;
  isStopping = false;
  current: Pick<InformerState, "synced" | "error"> = { synced: false, error: undefined };

  start(): void {
    this.isStarted = true;
  }

  stop(): Promise<void> {
    this.isStopping = true;
    return this.stopped.promise;
  }

  async synced(): Promise<void> {}

  state(): InformerState {
    const counts = { objects: 1, reconnects: 0, relists: 0, failures: 0 };
    return { phase: "watching", since: 0, resourceVersion: "1", ...counts, ...this.current };
  }

  get(): Fact {
    return { value: 1 };
  }

  list(): Fact[] {
    return [{ value: 1 }];
  }

  byIndex(): Fact[] {
    return [];
  }

  addHandler(handler: InformerHandler<Fact>) {
    this.handlers.push(handler);
    return { synced: false, remove: () => {} };
  }
}

function open() {
  const made: ScriptedInformer[] = [];
  let changes = 0;
  const informer = new OnDemandInformer<Fact>({
    resource: resources.pods,
    create: () => {
      const scripted = new ScriptedInformer();
      made.push(scripted);
      return scripted;
    },
    onChange: () => void changes++,
  });
  const tell = (call: (handler: InformerHandler<Fact>) => void, index = 0): void => {
    for (const handler of made[index]?.handlers ?? []) call(handler);
  };
  return { informer, made, tell, changes: () => changes };
}

test("nothing is read before somebody wants it, and nothing is kept when nobody does any more", async () => {
  const { informer, made } = open();
  expect([informer.state(), informer.list(), informer.get("a", "b")]).toEqual(["unwanted", [], undefined]);
  informer.want();
  informer.want();
  expect(made.map(({ isStarted }) => isStarted)).toEqual([true]);
  expect(informer.list()).toHaveLength(1);
  informer.leave();
  expect([informer.state(), informer.list(), made[0]?.isStopping]).toEqual(["unwanted", [], true]);
  informer.want();
  expect(made).toHaveLength(2);

  // It has stopped when all have that ever ran.
  let isStopped = false;
  const stopping = informer.stop().then(() => (isStopped = true));
  made[1]?.stopped.resolve();
  await made[1]?.stopped.promise;
  expect(isStopped).toBe(false);
  made[0]?.stopped.resolve();
  await stopping;
});

test("changes are told once all has been read, and only those of what is kept", () => {
  const { informer, tell, changes } = open();
  informer.want();
  tell((handler) => handler.add?.({ value: 1 }));
  expect(changes()).toBe(0);
  tell((handler) => handler.synced?.());
  expect(changes()).toBe(1);
  tell((handler) => handler.update?.({ value: 1 }, { value: 1 }));
  expect(changes()).toBe(1);
  tell((handler) => handler.update?.({ value: 1 }, { value: 2 }));
  tell((handler) => handler.delete?.({ value: 2 }));
  expect(changes()).toBe(3);
  // One that nobody wants any more may still have something to say.
  informer.leave();
  tell((handler) => handler.add?.({ value: 3 }));
  expect(changes()).toBe(3);
});

test.each<[ErrorCode | undefined, boolean, string]>([
  [undefined, false, "reading"],
  [undefined, true, "ready"],
  ["ConnectionFailed", false, "reading"],
  ["ConnectionFailed", true, "ready"],
  ["Forbidden", false, "forbidden"],
  ["Forbidden", true, "forbidden"],
  ["NotFound", false, "unserved"],
])("after %s, synced: %s, it is %s", (code, synced, expected) => {
  const { informer, made } = open();
  informer.want();
  const error = code === undefined ? undefined : new BowlineError(code, "No.");
  for (const each of made) each.current = { synced, error };
  expect(informer.state()).toBe(expected);
});
