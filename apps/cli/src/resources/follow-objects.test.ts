import { Cluster, type ApiObject, type WatchEvent } from "@bowline/api";
import type { Client } from "@bowline/client";
import { readObject } from "@bowline/client/testing";
import { BowlineError } from "@bowline/core";
import { describe, expect, test } from "vitest";

import { fakeClient } from "../testing/fake-context.ts";
import { sampleObject } from "../testing/sample-object.ts";
import { followObjects } from "./follow-objects.ts";

interface Session {
  readonly list: readonly ApiObject[];
  readonly resourceVersion: string;
  readonly events: readonly Exclude<WatchEvent<ApiObject>, { type: "ERROR" }>[];
}

/** A server that forgets what happened after each session; the watch of the last one goes on forever. */
function forgetful(sessions: readonly Session[], since: unknown[]): Client {
  const lists = sessions.values();
  const watches = sessions.values();
  const client: Pick<Client, "listAll" | "watch"> = {
    async *listAll(kind) {
      const { list = [], resourceVersion = "0" } = lists.next().value ?? {};
      yield {
        items: list.map((object) => readObject(kind, object)),
        metadata: { resourceVersion, total: list.length },
      };
    },
    async *watch(kind, _query, options) {
      since.push(options?.since);
      for (const event of watches.next().value?.events ?? []) {
        yield event.type === "BOOKMARK" ? event : { ...event, object: readObject(kind, event.object) };
      }
      throw new BowlineError("Expired", "Too old.");
    },
  };
  return fakeClient(client);
}

describe("followObjects", () => {
  const { signal } = new AbortController();

  test("compares what it knows with a new list when the server has forgotten what happened", async () => {
    const before = {
      a: sampleObject(Cluster, "a"),
      b: sampleObject(Cluster, "b"),
      c: sampleObject(Cluster, "c"),
    };
    const after = {
      a: sampleObject(Cluster, "a", { resourceVersion: "9" }),
      c: sampleObject(Cluster, "c", { id: "another", resourceVersion: "8" }),
      d: sampleObject(Cluster, "d", { resourceVersion: "7" }),
      e: sampleObject(Cluster, "e", { resourceVersion: "4" }),
    };
    const since: unknown[] = [];
    const client = forgetful(
      [
        {
          list: Object.values(before),
          resourceVersion: "3",
          events: [
            { type: "ADDED", object: after.e },
            { type: "BOOKMARK", metadata: { resourceVersion: "5" } },
          ],
        },
        { list: Object.values(after), resourceVersion: "9", events: [] },
      ],
      since,
    );
    const seen: string[] = [];
    for await (const { isInitial, changes } of followObjects(client, Cluster, { signal })) {
      if (isInitial) seen.push("initial");
      seen.push(...changes.map(({ type, object }) => `${type} ${object.metadata.name}`));
      if (seen.includes("ADDED d")) break;
    }
    expect(seen.join(", ")).toBe(
      "initial, ADDED a, ADDED b, ADDED c, ADDED e, DELETED b, DELETED c, MODIFIED a, ADDED c, ADDED d",
    );
    expect(since).toEqual(["3"]);
  });

  test("passes on what is no expiry", async () => {
    const client = fakeClient({
      async *listAll() {
        yield { items: [], metadata: { resourceVersion: "1", total: 0 } };
      },
      watch: () => {
        throw new BowlineError("Unauthorized", "The token was revoked.");
      },
    });
    const followed = followObjects(client, Cluster, { signal });
    expect(await followed.next()).toEqual({ done: false, value: { isInitial: true, changes: [] } });
    await expect(followed.next()).rejects.toMatchObject({ code: "Unauthorized" });
  });
});
