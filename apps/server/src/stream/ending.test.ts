import { AccessGrant, Cluster } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { cluster } from "@bowline/store/testing";
import { expect, test } from "vitest";

import { openStreams } from "./testing/stream-harness.ts";

const clusters = "/api/v1/clusters?watch=1";
const pods = "/clusters/prod/api/v1/pods?watch=1";

/** A cluster whose watches begin, and never end by themselves. */
const endless = {
  onRequest: (_: unknown, outgoing: { writeHead(status: number): { write(text: string): void } }): void => {
    outgoing.writeHead(200).write("{}\n");
  },
};

test("a client that dies without a word leaves nothing behind, here or in the cluster", async () => {
  const { connect, watchers, idle, tunnels, streams } = await openStreams(endless);
  const client = await connect();
  await client.get(clusters).untilEvent("BOOKMARK");
  await client.get("/api/v1/events?watch=1").untilEvent("BOOKMARK");
  await client.get(pods).until(({ text }) => text === "{}\n");
  expect([watchers.size, tunnels.streams]).toEqual([2, 2]);
  client.socket.terminate();
  await idle();
  await expect.poll(() => [watchers.size, streams.size]).toEqual([0, 0]);
});

test("a subscription that its client ends is over at once, and the others go on", async () => {
  const { connect, watchers, idle, store } = await openStreams(endless);
  const client = await connect();
  const proxied = await client.get(pods).until(({ text }) => text === "{}\n");
  const watch = await client.get(clusters).untilEvent("BOOKMARK");
  proxied.end();
  await idle();
  // Both may cross on the way: for one that has ended they mean nothing.
  proxied.end();
  proxied.credit(1);
  await store.objects.write(Cluster, "second", () => cluster("second"));
  await watch.until(({ text }) => text.includes('"second"'));
  expect(watchers.size).toBe(1);
});

test("a grant that is taken back ends what it was for, and says so", async () => {
  const { connect, store, idle } = await openStreams(endless);
  const client = await connect();
  const proxied = await client.get(pods).until(({ text }) => text === "{}\n");
  const watch = await client.get(clusters).untilEvent("BOOKMARK");
  await store.objects.delete(AccessGrant, "operators");
  await proxied.whole();
  expect(proxied.error).toEqual({
    code: "Forbidden",
    message: "The access to this cluster was taken back.",
  });
  await idle();
  expect((await client.get(pods).whole()).answer?.status).toBe(403);
  expect(watch.isOver).toBe(false);
});

test("an identity that ends takes its streams along, each subscription with its reason", async () => {
  const { connect, access, watchers, idle } = await openStreams(endless);
  const client = await connect();
  const proxied = await client.get(pods).until(({ text }) => text === "{}\n");
  const watch = await client.get(clusters).untilEvent("BOOKMARK");
  access.revoke();
  expect(await client.closed).toEqual({ code: 4401, reason: "The token was revoked." });
  expect(proxied.error).toMatchObject({ code: "Unauthorized" });
  expect(watch.events.at(-1)?.data).toMatchObject({ type: "ERROR", error: { code: "Unauthorized" } });
  expect(watch.hasEnded).toBe(true);
  await idle();
  expect(watchers.size).toBe(0);
});

test("an identity of which nothing is known for now may come again as it is", async () => {
  const { connect, access } = await openStreams();
  const client = await connect();
  access.revoke(new BowlineError("DatabaseUnavailable", "Try again."));
  expect(await client.closed).toEqual({ code: 1013, reason: "Try again." });
  await expect(connect()).rejects.toThrow("503");
});

test("a subscription without credit does not hold up the end", async () => {
  const { connect, access, idle } = await openStreams({
    onRequest: (_, outgoing) => void outgoing.writeHead(200).write("0123456789"),
    streamLimits: { initialCredit: 4 },
  });
  const client = await connect();
  const stuck = await client.get(pods, { credit: false }).until(({ bytes }) => bytes === 4);
  const watch = await client.get(clusters, { credit: false }).until(({ bytes }) => bytes === 4);
  access.revoke();
  expect(await client.closed).toMatchObject({ code: 4401 });
  expect([stuck.error?.code, watch.error?.code]).toEqual(["Unauthorized", "Unauthorized"]);
  await idle();
});

test("a server that stops ends watches as it always does, and then the connection", async () => {
  const { connect, streams, watchers, proxy } = await openStreams(endless);
  const client = await connect();
  const watch = await client.get(clusters).untilEvent("BOOKMARK");
  const proxied = await client.get(pods).until(({ text }) => text === "{}\n");
  const limit = new AbortController();
  const closed = Promise.all([streams.close(limit.signal), watchers.close(), proxy.close(limit.signal)]);
  const late = client.get(clusters);
  expect(await client.closed).toMatchObject({ code: 1001 });
  await closed;
  expect(watch.events.at(-1)?.data).toMatchObject({ type: "ERROR", error: { code: "ServerUnavailable" } });
  expect([watch.hasEnded, proxied.hasEnded]).toEqual([true, true]);
  expect(late.answer).toBeUndefined();
  await expect(connect()).rejects.toThrow("503");
});

test("a server that cannot wait any longer cuts what is left", async () => {
  const { connect, streams } = await openStreams(endless);
  const client = await connect();
  await client.get("/clusters/prod/version").until(({ text }) => text === "{}\n");
  const limit = new AbortController();
  const closed = streams.close(limit.signal);
  expect(streams.size).toBe(1);
  limit.abort();
  await closed;
  expect(await client.closed).toMatchObject({ code: 1006 });
});
