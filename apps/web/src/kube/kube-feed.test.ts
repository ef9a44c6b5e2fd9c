import { ManualClock } from "@bowline/core/testing";
import { beforeEach, describe, expect, test } from "vitest";

import { FakeStreams } from "../live/testing/fake-streams.ts";
import { WatchedObjects } from "../live/watched-objects.ts";
import { KubeFeed } from "./kube-feed.ts";
import { tableAccept, TableReader, type TableRow } from "./tables.ts";

let streams: FakeStreams;
let clock: ManualClock;

beforeEach(() => {
  streams = new FakeStreams();
  clock = new ManualClock(0);
});

function follow(path = "/clusters/prod/api/v1/pods"): WatchedObjects<TableRow> {
  const reader = new TableReader();
  return new WatchedObjects<TableRow>({
    streams,
    feed: new KubeFeed({ path, accept: tableAccept, itemsOf: (answer) => reader.rowsOf(answer) }),
    clock,
    random: () => 0,
    schedule: (callback) => callback(),
  });
}

const columnDefinitions = [
  { name: "Name", type: "string", priority: 0 },
  { name: "Status", type: "string", priority: 0 },
];

function table(
  rows: readonly [string, string][],
  metadata: object,
  columns: unknown = columnDefinitions,
): string {
  return JSON.stringify({
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata,
    columnDefinitions: columns,
    rows: rows.map(([name, status]) => ({
      cells: [name, status],
      object: {
        metadata: { name, namespace: "shop", uid: `uid-${name}`, managedFields: [{ manager: "kubectl" }] },
      },
    })),
  });
}

function answerPage(text: string): void {
  streams.last.start(200);
  // Cut in the middle, as bytes come.
  streams.last.send(text.slice(0, 40));
  streams.last.send(text.slice(40));
  streams.last.end("complete");
}

const change = (type: string, name: string, status: string, version: number): string =>
  `{"type":"${type}","object":${table([[name, status]], { resourceVersion: String(version) }, null)}}\n`;

const states = (list: WatchedObjects<TableRow>): Record<string, unknown> =>
  Object.fromEntries([...list.items.values()].map(({ metadata, cells }) => [metadata.name, cells[1]]));

describe("A Table that is followed", () => {
  test("comes in pages, says how many there will be, and is live with the last of them", () => {
    const list = follow();
    expect(streams.last.request).toEqual({
      get: "/clusters/prod/api/v1/pods?limit=500",
      accept: tableAccept,
    });
    answerPage(
      table([["a", "Running"]], { resourceVersion: "7", continue: "next+page", remainingItemCount: 2 }),
    );
    expect(list.snapshot).toMatchObject({ phase: "listing", total: 3 });
    expect(streams.last.request.get).toBe("/clusters/prod/api/v1/pods?limit=5000&continue=next%2Bpage");
    answerPage(
      table(
        [
          ["b", "Running"],
          ["c", "Pending"],
        ],
        { resourceVersion: "7" },
      ),
    );
    expect(list.snapshot).toMatchObject({ phase: "live", total: undefined });
    expect(states(list)).toEqual({ a: "Running", b: "Running", c: "Pending" });
    expect(streams.last.request.get).toBe(
      "/clusters/prod/api/v1/pods?watch=1&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=7",
    );
  });

  test("keeps of a row its cells and who it is, and the columns that only the first answer names", () => {
    const list = follow();
    answerPage(table([["a", "Pending"]], { resourceVersion: "7" }));
    streams.last.start(200);
    streams.last.send(change("MODIFIED", "a", "Running", 8));
    expect([...list.items.values()]).toEqual([
      {
        columns: columnDefinitions.map((column) => ({ ...column, description: "" })),
        cells: ["a", "Running"],
        metadata: { uid: "uid-a", name: "a", namespace: "shop", isDeleting: false },
      },
    ]);
  });

  test("changes as the cluster does, and goes on from the last change or bookmark", async () => {
    const list = follow();
    answerPage(
      table(
        [
          ["a", "Pending"],
          ["b", "Running"],
        ],
        { resourceVersion: "7" },
      ),
    );
    streams.last.start(200);
    const lines = change("MODIFIED", "a", "Running", 8) + change("DELETED", "b", "Running", 9);
    streams.last.send(lines.slice(0, 100));
    streams.last.send(lines.slice(100));
    expect(states(list)).toEqual({ a: "Running" });
    streams.last.send(`{"type":"BOOKMARK","object":{"kind":"Table","metadata":{"resourceVersion":"40"}}}\n`);
    streams.last.end("disconnected");
    expect(streams.last.request.get).toContain("resourceVersion=40");
    expect(list.phase).toBe("reconnecting");
    streams.last.start(200);
    expect(list.phase).toBe("live");
    streams.last.end("complete");
    await clock.advance(500);
    expect(streams.last.request.get).toContain("watch=1");
  });

  test.each([
    ["an event of the watch", "event"],
    ["the status of the answer", "status"],
  ])(
    "is listed anew when %s says that the version is too old, and nothing disappears meanwhile",
    async (_, how) => {
      const list = follow();
      answerPage(
        table(
          [
            ["a", "Running"],
            ["b", "Running"],
          ],
          { resourceVersion: "7" },
        ),
      );
      const gone = { kind: "Status", code: 410, reason: "Expired", message: "too old resource version" };
      if (how === "event") {
        streams.last.start(200);
        streams.last.send(`${JSON.stringify({ type: "ERROR", object: gone })}\n`);
      } else {
        streams.last.start(410);
        streams.last.send(JSON.stringify(gone));
      }
      streams.last.end("complete");
      await clock.advance(500);
      expect(streams.last.request.get).toBe("/clusters/prod/api/v1/pods?limit=500");
      expect(states(list)).toEqual({ a: "Running", b: "Running" });
      answerPage(table([["b", "Pending"]], { resourceVersion: "90" }));
      expect(states(list)).toEqual({ b: "Pending" });
      expect(list.phase).toBe("live");
    },
  );

  test("begins again when the next page cannot be had any more", async () => {
    const list = follow();
    answerPage(table([["a", "Running"]], { resourceVersion: "7", continue: "c1", remainingItemCount: 1 }));
    streams.last.start(410);
    streams.last.send(JSON.stringify({ kind: "Status", code: 410, reason: "Expired" }));
    streams.last.end("complete");
    await clock.advance(500);
    expect(streams.last.request.get).toBe("/clusters/prod/api/v1/pods?limit=500");
    answerPage(table([["b", "Running"]], { resourceVersion: "8" }));
    expect(states(list)).toEqual({ b: "Running" });
  });

  test("asks for the page again that broke off in the middle", () => {
    const list = follow("/clusters/prod/api/v1/pods?labelSelector=app");
    answerPage(table([["a", "Running"]], { resourceVersion: "7", continue: "c1" }));
    streams.last.start(200);
    streams.last.send("{");
    streams.last.end("disconnected");
    expect(streams.last.request.get).toBe(
      "/clusters/prod/api/v1/pods?labelSelector=app&limit=5000&continue=c1",
    );
    answerPage(table([["b", "Running"]], { resourceVersion: "7" }));
    expect(states(list)).toEqual({ a: "Running", b: "Running" });
  });

  test.each([
    [{ "x-bowline-error-from": "server" }, false],
    [{}, true],
  ])("says who refuses it: with the headers %j, the cluster: %s", (headers, isOfCluster) => {
    const list = follow();
    streams.last.start(403, headers);
    streams.last.send(JSON.stringify({ kind: "Status", code: 403, reason: "Forbidden", message: "No." }));
    streams.last.end("complete");
    expect(list.snapshot).toMatchObject({ phase: "failed", failure: { code: "Forbidden", isOfCluster } });
  });

  test("is a table of names where the server makes none", () => {
    const list = follow();
    answerPage(
      JSON.stringify({
        kind: "PodMetricsList",
        metadata: { resourceVersion: "7" },
        items: [
          { metadata: { name: "a", namespace: "shop", creationTimestamp: "2026-01-01T00:00:00Z" } },
          null,
        ],
      }),
    );
    expect([...list.items]).toMatchObject([["shop/a", { cells: ["a", "2026-01-01T00:00:00Z"] }]]);
  });
});
