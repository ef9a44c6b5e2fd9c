import type { KubeObject } from "@bowline/kube/shapes";
import { ManualClock } from "@bowline/core/testing";
import { afterEach, describe, expect, test, vi } from "vitest";

import type { ListOptions } from "../live/live-context.tsx";
import { FakeStreams } from "../live/testing/fake-streams.ts";
import { WatchedObjects } from "../live/watched-objects.ts";
import { changeObject, deleteObject, objectLists, onlyPath, secretLists } from "./objects.ts";

const place = {
  cluster: "prod",
  group: "",
  version: "v1",
  resource: "secrets",
  namespace: "shop",
  name: "db",
};

function follow({ feed }: ListOptions<KubeObject>): {
  streams: FakeStreams;
  list: WatchedObjects<KubeObject>;
} {
  const streams = new FakeStreams();
  const made = feed?.(onlyPath(place));
  if (made === undefined) throw new Error("There is no feed.");
  const list = new WatchedObjects<KubeObject>({
    streams,
    feed: made,
    clock: new ManualClock(0),
    random: () => 0,
    schedule: (callback) => callback(),
  });
  return { streams, list };
}

test("one object is followed by its name, and knows its kind although lists do not repeat it", () => {
  const { streams, list } = follow(objectLists);
  expect(streams.last.request.get).toBe(
    "/clusters/prod/api/v1/namespaces/shop/secrets?fieldSelector=metadata.name%3Ddb&limit=500",
  );
  streams.last.start(200);
  const metadata = { name: "db", uid: "u1" };
  streams.last.send(
    JSON.stringify({
      kind: "SecretList",
      apiVersion: "v1",
      metadata: { resourceVersion: "7" },
      items: [{ metadata }, "nonsense", { metadata: {} }],
    }),
  );
  streams.last.end("complete");
  expect([...list.items]).toEqual([["u1", { kind: "Secret", apiVersion: "v1", metadata }]]);
  streams.last.start(200);
  const object = { kind: "Secret", apiVersion: "v1", metadata: { ...metadata, resourceVersion: "8" } };
  streams.last.send(`${JSON.stringify({ type: "DELETED", object })}\n`);
  expect(list).toMatchObject({ phase: "live", items: new Map() });
});

test("a Secret is asked for as a row, so that its values do not come", () => {
  const { streams, list } = follow(secretLists);
  expect(streams.last.request.accept).toMatch(/^application\/json;as=Table/u);
  streams.last.start(200);
  const metadata = {
    name: "db",
    uid: "u1",
    managedFields: [{ manager: "m", fieldsV1: { "f:data": { "f:password": {} } } }],
  };
  const row = { cells: ["db", "Opaque", 1, "5m"], object: { metadata } };
  streams.last.send(JSON.stringify({ kind: "Table", metadata: { resourceVersion: "7" }, rows: [row, {}] }));
  streams.last.end("complete");
  expect([...list.items.values()]).toEqual([
    { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data: { password: "(hidden)" } },
  ]);
});

describe("A change of an object", () => {
  const base: KubeObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "db", resourceVersion: "7" },
    data: { a: "1" },
  };
  const change = {
    place: { ...place, resource: "configmaps" },
    base,
    patch: [{ op: "replace", path: "/data/a", value: "2" }],
    dryRun: true,
  } as const;
  const newer = { ...base, metadata: { name: "db", resourceVersion: "9" } };
  const conflict = { kind: "Status", code: 409, reason: "Conflict", message: "It has been modified." };
  const invalid = { kind: "Status", code: 422, reason: "Invalid", message: "No." };
  const asked: { readonly path: string; readonly method: string; readonly body: unknown }[] = [];

  /** Answers one request after the other. */
  function answer(...answers: readonly (readonly [status: number, body: unknown])[]): void {
    const left = [...answers];
    asked.length = 0;
    vi.stubGlobal("fetch", (path: string, { method, body }: { method: string; body?: string }) => {
      asked.push({ path, method, body: body === undefined ? undefined : JSON.parse(body) });
      const [status, object] = left.shift() ?? [500, {}];
      return Promise.resolve(new Response(JSON.stringify(object), { status }));
    });
  }

  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test("is tried without being kept, from the version that somebody has read", async () => {
    answer([200, newer]);
    expect(await changeObject(change)).toEqual({ result: newer });
    expect(asked).toEqual([
      {
        path: "/clusters/prod/api/v1/namespaces/shop/configmaps/db?fieldManager=bowline-console&fieldValidation=Strict&dryRun=All",
        method: "PATCH",
        body: [
          { op: "replace", path: "/data/a", value: "2" },
          { op: "replace", path: "/metadata/resourceVersion", value: "7" },
        ],
      },
    ]);
    answer([200, newer]);
    await changeObject({ ...change, dryRun: false });
    expect(asked[0]?.path).not.toContain("dryRun");
  });

  test("goes on where only the status has changed since", async () => {
    answer([409, conflict], [200, { ...newer, status: { busy: true } }], [200, newer]);
    expect(await changeObject(change)).toEqual({ result: newer });
    expect(asked.map(({ method }) => method)).toEqual(["PATCH", "GET", "PATCH"]);
    expect(asked[2]?.body).toContainEqual({
      op: "replace",
      path: "/metadata/resourceVersion",
      value: "9",
    });
  });

  test("ends where somebody else has changed something, with what is there now", async () => {
    const theirs = { ...newer, data: { a: "3" } };
    for (const refusal of [conflict, invalid]) {
      answer([refusal.code, refusal], [200, theirs]);
      expect(await changeObject(change)).toEqual({ theirs });
      expect(asked).toHaveLength(2);
    }
  });

  test("tells what a cluster refuses", async () => {
    answer([422, invalid], [200, newer]);
    await expect(changeObject(change)).rejects.toThrow("No.");
  });

  test("of a Secret brings no value back", async () => {
    answer([200, { ...base, kind: "Secret", data: { password: "c2VjcmV0" } }]);
    const changed = await changeObject({ ...change, place });
    expect(changed).toMatchObject({ result: { data: { password: "(hidden)" } } });
  });

  test("that deletes it means this very object", async () => {
    answer([200, {}]);
    await deleteObject(place, "u1");
    expect(asked).toMatchObject([{ method: "DELETE", body: { preconditions: { uid: "u1" } } }]);
  });
});
