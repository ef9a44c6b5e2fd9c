import { connect as connectTcp } from "node:net";
import { once } from "node:events";

import { streamInitialCredit } from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { openStreams } from "./testing/stream-harness.ts";

const clusters = "/api/v1/clusters?watch=1";

describe("a client that does not keep to the protocol is told so, and is alone", () => {
  const nonsense: readonly (readonly [string, unknown, RegExp])[] = [
    ["no JSON", "{", /no JSON object/u],
    ["no object", "[1]", /no JSON object/u],
    ["no id", { get: clusters }, /id/u],
    ["an id that is no number", { id: "1", get: clusters }, /id/u],
    ["an id that is too large", { id: 2 ** 32, get: clusters }, /id/u],
    ["an id of no subscription", { id: 7, credit: 1 }, /never been a subscription 7/u],
    ["an end of no subscription", { id: 7, end: true }, /never been a subscription 7/u],
    ["a field that nobody knows", { id: 1, get: clusters, method: "DELETE" }, /method/u],
    ["nothing to do", { id: 1 }, /get/u],
    ["less than no credit", { id: 1, credit: -1 }, /credit/u],
    ["half a byte of credit", { id: 1, credit: 0.5 }, /credit/u],
    ["credit without end", '{"id":1,"credit":1e999}', /credit/u],
    ["an end that is none", { id: 1, end: false }, /end/u],
  ];

  test("whatever it sends", async () => {
    const { connect, streams } = await openStreams();
    const other = await connect();
    for (const [what, message, reason] of nonsense) {
      const client = await connect();
      client.send(message);
      expect([what, await client.closed]).toEqual([
        what,
        { code: 1008, reason: expect.stringMatching(reason) },
      ]);
    }
    expect((await other.get("/api/v1/clusters/prod").whole()).answer?.status).toBe(200);
    await expect.poll(() => streams.size).toBe(1);
  });

  test("bytes", async () => {
    const { connect } = await openStreams();
    const client = await connect();
    client.socket.send(Buffer.from([0, 0, 0, 1]));
    expect(await client.closed).toMatchObject({ code: 1008 });
  });

  test("a message that is too large", async () => {
    const { connect } = await openStreams();
    const client = await connect();
    client.send({ id: 1, get: `/api/v1/${"x".repeat(64 * 1024)}` });
    expect(await client.closed).toMatchObject({ code: 1009 });
  });

  test("a number that was used before", async () => {
    const { connect, watchers } = await openStreams();
    const client = await connect();
    await client.get(clusters).untilEvent("BOOKMARK");
    client.send({ id: 1, get: clusters });
    expect(await client.closed).toMatchObject({ code: 1008, reason: /count upwards/u });
    await expect.poll(() => watchers.size).toBe(0);
  });

  test("more credit than anybody needs", async () => {
    const { connect } = await openStreams();
    const client = await connect();
    await client.get(clusters, { credit: false }).untilEvent("BOOKMARK");
    client.send({ id: 1, credit: 16 * 1024 * 1024 - streamInitialCredit });
    client.send({ id: 1, credit: streamInitialCredit });
    expect(await client.closed).toMatchObject({ code: 1008, reason: /credit for more than/u });
  });

  test("one that asks and never reads", async () => {
    const { connect, streams } = await openStreams({ streamLimits: { maxWaitingBytes: 100_000 } });
    const client = await connect();
    client.socket.pause();
    const message = JSON.stringify({ get: "/nowhere" }).slice(1);
    for (let id = 1; streams.size > 0; id += 1) {
      client.send(`{"id":${id},${message}`);
      if (id % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(streams.size).toBe(0);
  });
});

test("addresses that are not for subscriptions are refused, and the rest goes on", async () => {
  const { connect } = await openStreams();
  const client = await connect();
  const paths = [
    "/",
    "//host/api/v1/clusters",
    "http://host/api/v1/clusters",
    "/metrics",
    "/ui/",
    "/api/v1",
    "/api/v2/clusters",
    "/api/v1/clusters /x",
    "/api/v1/clusters\r\nX-Forged: 1",
    "/api/v1/clusters/\u00e4",
  ];
  for (const path of paths) {
    const { answer, error } = await client.get(path).whole();
    expect([path, answer, error?.code]).toEqual([path, undefined, "BadRequest"]);
  }
  expect((await client.get("/api/v1/clusters/prod").whole()).answer?.status).toBe(200);
});

test("addresses that wind lead to nothing else", async () => {
  const { connect } = await openStreams();
  const client = await connect();
  const statuses = {
    "/api/v1/../../metrics": 404,
    "/api/v1//clusters": 404,
    "/api/v1/%2e%2e/metrics": 404,
    "/api/v1/stream": 400,
    "/clusters/prod/../../api/v1/users": 400,
    "/clusters/prod/%2e%2e/x": 400,
    "/clusters/..": 404,
  };
  for (const [path, status] of Object.entries(statuses)) {
    expect([path, (await client.get(path).whole()).answer?.status]).toEqual([path, status]);
  }
});

test("a header that is more than one is refused", async () => {
  const { connect } = await openStreams();
  const client = await connect({ as: "viewer" });
  const headers = ["text/plain\r\nAuthorization: Bearer operator", "text/plain\n", "\0", "a".repeat(1_025)];
  for (const accept of headers) {
    const refused = await client.get(clusters, { accept }).whole();
    expect(refused).toMatchObject({ answer: undefined, error: { code: "BadRequest" } });
  }
});

describe("a connection", () => {
  test("is refused to whom nobody knows, in the words of every other request", async () => {
    const { connect, port } = await openStreams();
    await expect(connect({ as: "nobody" })).rejects.toThrow("401");
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/stream`, {
      headers: { authorization: "Bearer operator" },
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: "BadRequest", message: /WebSockets/u } },
    ]);
  });

  test("that is no WebSocket is told so, and closed", async () => {
    const { port, streams } = await openStreams();
    const socket = connectTcp({ port, host: "127.0.0.1" });
    const lines = ["GET /api/v1/stream HTTP/1.1", "Host: x", "Authorization: Bearer operator"];
    socket.write([...lines, "Connection: Upgrade", "Upgrade: h2c", "", ""].join("\r\n"));
    let received = "";
    socket.setEncoding("utf8").on("data", (part: string) => (received += part));
    await once(socket, "end");
    expect(received).toMatch(/^HTTP\/1\.1 400 [^]*no handshake of a WebSocket/u);
    expect(streams.size).toBe(0);
  });

  test("is one of 16 that a user has", async () => {
    const { connect, streams } = await openStreams();
    const clients = await Promise.all(Array.from({ length: 16 }, () => connect({ as: "viewer" })));
    await expect(connect({ as: "viewer" })).rejects.toThrow("429");
    await connect();
    clients[0]?.socket.close();
    await expect.poll(() => streams.size).toBe(16);
    await connect({ as: "viewer" });
  });

  test("is cut when its client answers nothing any more", async () => {
    const streamClock = new ManualClock();
    const { connect, streams, watchers } = await openStreams({ streamClock });
    const client = await connect({ autoPong: false });
    await client.get(clusters).untilEvent("BOOKMARK");
    const other = await connect();
    for (let pings = 1; pings <= 4; pings += 1) {
      const pinged = once(other.socket, "ping");
      await streamClock.armed(20_000, 2);
      await streamClock.advance(20_000);
      await pinged;
      // The answer has arrived when an answer to something later has.
      await other.get("/api/v1/clusters/prod").whole();
    }
    expect(await client.closed).toMatchObject({ code: 1006 });
    await expect.poll(() => watchers.size).toBe(0);
    expect(streams.size).toBe(1);
  });
});
