import { beforeEach, describe, expect, test } from "vitest";

import type { EnqueueOptions } from "../controller/controller.ts";
import {
  enqueueOwner,
  enqueueSelf,
  informerSource,
  type InformerHandlerLike,
  type InformerLike,
} from "./event-source.ts";
import { keyOf, parseObjectKey, type ObjectLike } from "./object-key.ts";
import { allOf, anyOf, generationChanged, labelsChanged, type Predicate } from "./predicate.ts";

function object(metadata: ObjectLike["metadata"] = {}): ObjectLike {
  return { metadata: { namespace: "ns", name: "one", generation: 1, ...metadata } };
}

/** An informer whose events a test makes. */
class TestInformer implements InformerLike<ObjectLike> {
  handlers: InformerHandlerLike<ObjectLike>[] = [];

  addHandler(handler: InformerHandlerLike<ObjectLike>): { remove(): void } {
    this.handlers.push(handler);
    return { remove: () => void (this.handlers = this.handlers.filter((other) => other !== handler)) };
  }

  tell(event: (handler: InformerHandlerLike<ObjectLike>) => void): void {
    for (const handler of this.handlers) event(handler);
  }
}

let informer: TestInformer;
let enqueued: [string, EnqueueOptions | undefined][];
const enqueue = (key: string, options?: EnqueueOptions): void => void enqueued.push([key, options]);

beforeEach(() => {
  informer = new TestInformer();
  enqueued = [];
});

describe("informerSource", () => {
  test("what is there at the start has low priority, what happens later has normal", () => {
    informerSource(informer, enqueueSelf()).start(enqueue);
    informer.tell((handler) => {
      handler.add(object());
      handler.synced();
      handler.add(object({ name: "two" }));
      handler.update(object(), object());
      handler.delete(object());
    });
    expect(enqueued).toEqual([
      ["ns/one", { priority: "low" }],
      ["ns/two", { priority: "normal" }],
      ["ns/one", { priority: "normal" }],
      ["ns/one", { priority: "normal" }],
    ]);
  });

  test("an object that moved wakes both what it belonged to and what it belongs to, each once", () => {
    const byApp = ({ metadata }: ObjectLike): string[] => [metadata.labels?.["app"] ?? "none"];
    informerSource(informer, byApp).start(enqueue);
    informer.tell((handler) =>
      handler.update(object({ labels: { app: "x" } }), object({ labels: { app: "y" } })),
    );
    informer.tell((handler) =>
      handler.update(object({ labels: { app: "y" } }), object({ labels: { app: "y" } })),
    );
    expect(enqueued.map(([key]) => key)).toEqual(["x", "y", "y"]);
  });

  test("events that a predicate passes over wake nobody", () => {
    const isWanted = ({ metadata }: ObjectLike): boolean => metadata.name !== "no";
    const wanted = { create: isWanted, delete: isWanted };
    informerSource(informer, enqueueSelf(), generationChanged(), wanted).start(enqueue);
    informer.tell((handler) => {
      handler.add(object({ name: "no" }));
      handler.delete(object({ name: "no" }));
      handler.update(object(), object());
      handler.update(object(), object({ generation: 2 }));
    });
    expect(enqueued.map(([key]) => key)).toEqual(["ns/one"]);
  });

  test("ends when told to", () => {
    const end = informerSource(informer, enqueueSelf()).start(enqueue);
    end();
    expect(informer.handlers).toEqual([]);
  });
});

describe("enqueueOwner", () => {
  const owners = [
    { apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", controller: true },
    { apiVersion: "example.com/v1alpha1", kind: "Widget", name: "w1", controller: true },
    { apiVersion: "example.com/v1", kind: "Widget", name: "w2" },
    { apiVersion: "other.com/v1", kind: "Widget", name: "w3", controller: true },
    { apiVersion: "v1", kind: "Node", name: "n", controller: true },
  ];
  const owned = object({ ownerReferences: owners });

  test.each([
    [{ group: "example.com", kind: "Widget" }, ["ns/w1"]],
    [{ group: "example.com", kind: "Widget", anyOwner: true }, ["ns/w1", "ns/w2"]],
    [{ group: "", kind: "Node", clusterScoped: true }, ["n"]],
    [{ group: "apps", kind: "Deployment" }, []],
  ])("%j: %j", (owner, keys) => {
    expect([...enqueueOwner(owner)(owned)]).toEqual(keys);
    expect([...enqueueOwner(owner)(object())]).toEqual([]);
  });
});

describe("predicates", () => {
  const before = object({ labels: { a: "1" }, annotations: { b: "1" }, resourceVersion: "1" });
  const relabelled = object({ labels: { a: "2" }, annotations: { b: "1" }, resourceVersion: "2" });
  const annotated = object({ labels: { a: "1" }, annotations: { b: "1", c: "" }, resourceVersion: "2" });
  const respecified = object({ ...before.metadata, generation: 2, resourceVersion: "2" });
  const deleting = object({
    ...before.metadata,
    deletionTimestamp: "2026-01-01T00:00:00Z",
    resourceVersion: "2",
  });

  const versionChanged: Predicate<ObjectLike> = {
    update: (one, other) => one.metadata.resourceVersion !== other.metadata.resourceVersion,
  };

  test.each([
    ["generationChanged", generationChanged(), [false, false, false, true, true]],
    ["labelsChanged", labelsChanged(), [false, true, false, false, false]],
    ["anyOf", anyOf(generationChanged(), labelsChanged()), [false, true, false, true, true]],
    ["allOf", allOf(generationChanged(), versionChanged), [false, false, false, true, true]],
    ["allOf nothing", allOf(), [true, true, true, true, true]],
  ])("%s", (_name, predicate, expected) => {
    const afters = [before, relabelled, annotated, respecified, deleting];
    expect(afters.map((after) => predicate.update?.(before, after) ?? true)).toEqual(expected);
    expect(predicate.create?.(before) ?? true).toBe(true);
    expect(predicate.delete?.(before) ?? true).toBe(true);
  });

  test("a label that is there but undefined in the other's prototype is a change", () => {
    const odd = object({ labels: { toString: "x" } });
    expect(labelsChanged().update?.(object({ labels: { a: "1" } }), odd)).toBe(true);
  });
});

describe("keys", () => {
  test("name an object with or without namespace, and can be read back", () => {
    expect(keyOf(object())).toBe("ns/one");
    expect(keyOf({ metadata: { name: "one" } })).toBe("one");
    expect(parseObjectKey("ns/one")).toEqual({ namespace: "ns", name: "one" });
    expect(parseObjectKey("one")).toEqual({ namespace: "", name: "one" });
  });

  test.each(["", "/", "a/", "/b", "a/b/c"])("%j is none", (key) => {
    expect(() => parseObjectKey(key)).toThrow(/neither/);
  });
});
