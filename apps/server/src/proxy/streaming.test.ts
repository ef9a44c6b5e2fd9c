import { once } from "node:events";
import { connect } from "node:net";
import { buffer, text } from "node:stream/consumers";

import { describe, expect, test } from "vitest";

import { answerOf, openProxy } from "./testing/proxy-harness.ts";

const pods = "/api/v1/namespaces/shop/pods";

describe("an answer", () => {
  test("is what the cluster says, with its status, headers, body and trailers", async () => {
    const { call, idle } = await openProxy({
      onRequest: (incoming, outgoing) => {
        outgoing.writeHead(418, [
          "Content-Type",
          "text/plain",
          "Warning",
          "a",
          "Warning",
          "b",
          "Trailer",
          "X-Sum",
        ]);
        outgoing.write(`${incoming.method} ${incoming.url} `);
        incoming.pipe(outgoing, { end: false });
        incoming.on("end", () => {
          outgoing.addTrailers({ "X-Sum": "42" });
          outgoing.end();
        });
      },
    });
    const path = `${pods}/a%3Ab?fieldManager=x%20y`;
    const answer = await call(path, { method: "PUT", body: "body", headers: { "content-type": "!none" } });
    expect(answer).toMatchObject({ status: 418, text: `PUT ${path} body` });
    expect(answer.headers["warning"]).toBe("a, b");
    await idle();
  });

  test("has the trailers of the cluster", async () => {
    const { begin } = await openProxy({
      onRequest: (_, outgoing) => {
        outgoing.writeHead(200, { trailer: "X-Sum" });
        outgoing.write("body");
        outgoing.addTrailers({ "X-Sum": "42", "Set-Cookie": "a" });
        outgoing.end();
      },
    });
    const answer = await answerOf(begin(pods).end());
    await text(answer);
    expect(answer.trailers).toEqual({ "x-sum": "42" });
  });

  test("has its own length where the cluster says it", async () => {
    const { call } = await openProxy({
      onRequest: (_, outgoing) => outgoing.writeHead(200, { "content-length": "4" }).end("four"),
    });
    const { headers, text: body } = await call(pods);
    expect([headers["content-length"], headers["transfer-encoding"], body]).toEqual(["4", undefined, "four"]);
  });

  test("to HEAD, 204 and 304 have no body, and the connection goes on", async () => {
    const statuses: Record<string, number> = { "/a": 200, "/b": 204, "/c": 304, "/d": 200 };
    const { port } = await openProxy({
      onRequest: (incoming, outgoing) =>
        outgoing.writeHead(statuses[incoming.url ?? ""] ?? 500, { "content-length": "4" }).end("four"),
    });
    const socket = connect({ port, host: "127.0.0.1" });
    const lines = ["HEAD /a", "GET /b", "GET /c", "GET /d"].map((line) => {
      const [method, path] = line.split(" ");
      const close = path === "/d" ? "connection: close\r\n" : "";
      return `${method} /clusters/prod${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer operator\r\n${close}\r\n`;
    });
    socket.write(lines.join(""));
    const received = await text(socket);
    expect(received.match(/HTTP\/1\.1 \d+/gu)).toEqual([
      "HTTP/1.1 200",
      "HTTP/1.1 204",
      "HTTP/1.1 304",
      "HTTP/1.1 200",
    ]);
    expect(received.match(/four/gu)).toHaveLength(1);
    expect(received).toMatch(/204[^\0]*?304/u);
    expect(/204(?<head>[^\0]*?)304/u.exec(received)?.groups?.["head"]).not.toMatch(/content-length/iu);
  });

  test("tells interim heads", async () => {
    const { begin } = await openProxy({
      onRequest: (_, outgoing) => {
        outgoing.writeProcessing();
        outgoing.writeEarlyHints({ link: "</a>; rel=preload", "x-note": "1", "set-cookie": "a=b" }, () =>
          outgoing.end("done"),
        );
      },
    });
    const told: unknown[] = [];
    const outgoing = begin(pods).end();
    outgoing.on("information", ({ statusCode, headers }) => told.push([statusCode, headers]));
    expect(await text(await answerOf(outgoing))).toBe("done");
    expect(told).toEqual([
      [102, {}],
      [103, { link: "</a>; rel=preload", "x-note": "1" }],
    ]);
  });

  test("with very large headers comes as a whole", async () => {
    const value = "v".repeat(8_000);
    const { call } = await openProxy({
      onRequest: (incoming, outgoing) => {
        outgoing.setHeader("x-asked", incoming.headers["x-asked"] ?? "");
        for (const name of ["x-a", "x-b", "x-c", "x-d"]) outgoing.setHeader(name, value);
        outgoing.end("ok");
      },
    });
    const { headers } = await call(pods, { headers: { "x-asked": value } });
    expect(["x-a", "x-d", "x-asked"].map((name) => headers[name] === value)).toEqual([true, true, true]);
  });
});

describe("a watch", () => {
  test("begins before its first event, and every event comes at once", async () => {
    const watch = Promise.withResolvers<(line: string) => void>();
    const { begin, idle } = await openProxy({
      onRequest: (_, outgoing) => {
        outgoing.writeHead(200, { "content-type": "application/json" });
        outgoing.flushHeaders();
        watch.resolve((line) => outgoing.write(line));
      },
    });
    const answer = await answerOf(begin(`${pods}?watch=1`).end());
    const write = await watch.promise;
    const seen: string[] = [];
    write("first\n");
    for await (const piece of answer) {
      seen.push(String(piece));
      if (seen.length === 3) break;
      write(`after ${String(piece)}`);
    }
    expect(seen).toEqual(["first\n", "after first\n", "after after first\n"]);
    await idle();
  });
});

describe("a body", () => {
  const large = Buffer.alloc(8_000_000);
  for (let index = 0; index < large.length; index += 4) large.writeUInt32LE(index, index);

  test("goes both ways at the same time, unharmed", async () => {
    const { begin, idle } = await openProxy({
      onRequest: (incoming, outgoing) => {
        outgoing.flushHeaders();
        incoming.pipe(outgoing);
      },
    });
    const outgoing = begin(pods, { method: "POST" });
    outgoing.write(large.subarray(0, 10));
    const answer = await answerOf(outgoing);
    outgoing.end(large.subarray(10));
    expect((await buffer(answer)).equals(large)).toBe(true);
    await idle();
  });

  test("has its length told to the cluster when the client tells it, and is chunked when not", async () => {
    const { call, begin } = await openProxy({
      onRequest: (incoming, outgoing) => {
        const { "content-length": length, "transfer-encoding": encoding } = incoming.headers;
        incoming.resume().on("end", () => outgoing.end(`${length} ${encoding}`));
      },
    });
    const known = await call(pods, { method: "POST", body: "12345", headers: { "content-length": "5" } });
    expect(known.text).toBe("5 undefined");
    const outgoing = begin(pods, { method: "POST" });
    outgoing.flushHeaders();
    outgoing.write("123");
    outgoing.end("45");
    expect(await text(await answerOf(outgoing))).toBe("undefined chunked");
    expect((await call(pods, { method: "POST" })).text).toMatch(/^(?:0|undefined) undefined$/u);
  });

  test("that the cluster does not read stops the client, and only its window is held", async () => {
    const { begin, tunnels } = await openProxy({ onRequest: (incoming) => void incoming.pause() });
    const outgoing = begin(pods, { method: "POST" });
    outgoing.on("error", () => {});
    let sent = 0;
    const chunk = Buffer.alloc(64 * 1024);
    const send = (): void => {
      do sent += chunk.length;
      while (outgoing.write(chunk));
    };
    outgoing.on("drain", send);
    send();
    await expect.poll(() => sent).toBeGreaterThan(256 * 1024);
    let before = -1;
    while (before !== sent) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(sent).toBeLessThan(32 * 1024 * 1024);
    expect(tunnels.agent.heldBytes).toBeLessThan(17 * 1024 * 1024);
    outgoing.destroy();
  });

  test("that the client does not read stops the cluster", async () => {
    let sent = 0;
    const { begin, tunnels } = await openProxy({
      onRequest: (_, outgoing) => {
        const chunk = Buffer.alloc(64 * 1024);
        const send = (): void => {
          do sent += chunk.length;
          while (outgoing.write(chunk));
        };
        outgoing.on("drain", send);
        send();
      },
    });
    const answer = await answerOf(begin(pods).end());
    answer.pause();
    let before = -1;
    while (before !== sent) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(sent).toBeLessThan(32 * 1024 * 1024);
    expect(tunnels.server.heldBytes).toBeLessThan(17 * 1024 * 1024);
    answer.destroy();
  });

  test("is not needed any more after an early answer; the connection can be used again", async () => {
    const { port, idle } = await openProxy({
      onRequest: (incoming, outgoing) => {
        if (incoming.method === "GET") outgoing.end("second");
        else outgoing.writeHead(413, { "content-length": "9" }).end("too large");
      },
    });
    const socket = connect({ port, host: "127.0.0.1" });
    const head = "HTTP/1.1\r\nhost: x\r\nauthorization: Bearer operator\r\n";
    socket.write(`POST /clusters/prod${pods} ${head}content-length: 150000\r\n\r\n`);
    socket.write(Buffer.alloc(50_000));
    const [first] = await once(socket, "data");
    expect(String(first)).toMatch(/^HTTP\/1.1 413[^]*too large$/u);
    await idle();
    socket.write(Buffer.alloc(100_000));
    socket.write(`GET /clusters/prod${pods} ${head}connection: close\r\n\r\n`);
    expect(await text(socket)).toContain("second");
  });

  test("that goes on and on after an early answer costs the client its connection", async () => {
    const { begin, idle } = await openProxy({
      onRequest: (_, outgoing) => outgoing.writeHead(413).end("too large"),
    });
    // Else the client would close the connection by itself once it has the answer.
    const headers = { connection: "keep-alive" };
    const outgoing = begin(pods, { method: "POST", headers });
    const broken = new Promise((resolve) => outgoing.on("error", resolve));
    const send = (): void => void outgoing.write(Buffer.alloc(64 * 1024), () => outgoing.destroyed || send());
    send();
    const answer = await answerOf(outgoing);
    answer.resume();
    expect(answer.statusCode).toBe(413);
    await idle();
    await broken;
  });

  test("waits for the server to say «100 Continue», which it does for those who may", async () => {
    const { begin } = await openProxy({
      onRequest: (incoming, outgoing) => {
        outgoing.setHeader("x-expect", String(incoming.headers.expect));
        incoming.pipe(outgoing);
      },
    });
    const expecting = { method: "POST", headers: { expect: "100-continue" } };
    const outgoing = begin(pods, expecting);
    outgoing.flushHeaders();
    await once(outgoing, "continue");
    outgoing.end("body");
    const answer = await answerOf(outgoing);
    expect([answer.headers["x-expect"], await text(answer)]).toEqual(["undefined", "body"]);

    const refused = begin(pods, { ...expecting, as: "viewer" });
    let wasContinued = false;
    refused.on("continue", () => (wasContinued = true));
    refused.flushHeaders();
    const refusal = await answerOf(refused);
    expect([refusal.statusCode, refusal.headers["connection"], wasContinued]).toEqual([403, "close", false]);
    refused.destroy();
  });
});
