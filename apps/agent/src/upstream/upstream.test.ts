import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { ManualClock } from "@bowline/core/testing";
import type { Credential } from "@bowline/kube";
import { startKubesim } from "@bowline/kubesim";
import { describe, expect, onTestFinished, test } from "vitest";

import { closed, startApiServer } from "../testing/api-server.ts";
import { stillness } from "../testing/stillness.ts";
import { connectionTo, upstreamTo } from "../testing/upstream-fixture.ts";

const answerWith =
  (body: string) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.end(body);

describe("a request", () => {
  test("keeps its headers as they were, but for those that the agent says itself", async () => {
    let raw: string[] = [];
    const server = await startApiServer((request, response) => {
      raw = request.rawHeaders;
      response.writeHead(200, ["X-One", "1", "x-one", "2"]).end("ok");
    });
    const { client } = upstreamTo(connectionTo(server.url));
    const kept = ["X-B", "1", "x-A", "2", "X-B", "3", "Accept", "application/json"];
    const foreign = [
      "Authorization",
      "Bearer stolen",
      "Host",
      "elsewhere",
      "Connection",
      "X-B",
      "TE",
      "trailers",
      "Trailer",
      "X-Sum",
    ];
    const answer = await client.ask({ path: "/api?x=1", headers: [...kept, ...foreign] });
    const own = ["Authorization", "Bearer agent-token", "Connection", "keep-alive"];
    expect(raw).toEqual(["Host", `127.0.0.1:${server.port}`, ...kept, ...own]);
    expect((await answer.head).headers.slice(0, 4)).toEqual(["X-One", "1", "x-one", "2"]);
    expect(answer.text).toBe("ok");
  });

  test("uses a connection again", async () => {
    const server = await startApiServer(answerWith("ok"));
    const { client, upstream } = upstreamTo(connectionTo(server.url));
    for (let count = 0; count < 5; count++) await client.ask();
    expect(server.connections).toBe(1);
    expect(upstream.openStreams).toBe(0);
    expect(upstream.counts).toMatchObject({ streams: 5, answerBytes: 10 });
  });

  test("leaves connections that nobody needs", async () => {
    const clock = new ManualClock();
    const server = await startApiServer(answerWith("ok"));
    const { client, upstream } = upstreamTo(connectionTo(server.url), { clock });
    await client.ask();
    await clock.advance(15_000);
    await client.ask();
    await clock.advance(15_000);
    expect(server.sockets.size).toBe(1);
    await clock.advance(15_000);
    await server.left();
    expect(server.connections).toBe(1);
    upstream.close();
    expect(clock.pending).toBe(0);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])(
    "of %s has a length, with and without a body",
    async (method) => {
      const lengths: unknown[] = [];
      const server = await startApiServer((request, response) => {
        lengths.push(request.headers["content-length"], request.headers["transfer-encoding"]);
        void text(request).then((body) => response.end(`got ${body}`));
      });
      const { client } = upstreamTo(connectionTo(server.url));
      const [sized, chunked] = await Promise.all([
        client.ask({ method, headers: ["Content-Length", "5"] }, "hello"),
        client.ask({ method }, "hello"),
      ]);
      const empty = await client.ask({ method, headers: ["Content-Length", "5"] });
      expect([sized.text, chunked.text, empty.text]).toEqual(["got hello", "got hello", "got "]);
      expect(lengths.slice(4)).toEqual([method === "DELETE" ? undefined : "0", undefined]);
    },
  );

  test("takes trailers and interim answers along, both ways", async () => {
    let trailers: string[] = [];
    const server = await startApiServer((request, response) => {
      response.writeProcessing();
      request.resume().on("end", () => {
        trailers = request.rawTrailers;
        response.writeHead(200, { Trailer: "X-Sum" });
        response.write("body");
        response.addTrailers({ "X-Sum": "7" });
        response.end();
      });
    });
    const { client } = upstreamTo(connectionTo(server.url));
    const answer = client.open({ method: "POST" }, true);
    answer.stream.write(Buffer.from("x"));
    answer.stream.end(["X-Up", "1"]);
    await answer.ended;
    expect(answer.interim.map(({ status }) => status)).toEqual([102]);
    expect(answer.trailers).toEqual(["X-Sum", "7"]);
    expect(trailers).toEqual(["X-Up", "1"]);
  });

  test("ends a stream whose trailers are too large for the tunnel, and nothing else", async () => {
    const trailers = Array.from({ length: 900 }, (_, index) => [`X-${index}`, "v".repeat(136)]);
    const server = await startApiServer((request, response) => {
      if (request.url === "/many") response.addTrailers(trailers as [string, string][]);
      response.write("body");
      response.end();
    });
    const { client, upstream } = upstreamTo(connectionTo(server.url));
    await expect(client.ask({ path: "/many" })).rejects.toMatchObject({
      code: "ResponseInvalid",
      message: expect.stringContaining("too large"),
    });
    await expect(client.ask()).resolves.toMatchObject({ text: "body" });
    expect(upstream.openStreams).toBe(0);
  });

  test("gives up an API server that sends interim answers without end", async () => {
    const server = await startApiServer((request, response) => {
      if (request.url !== "/endless") {
        response.end("body");
        return;
      }
      const go = (): void => {
        while (request.socket.write("HTTP/1.1 102 Processing\r\n\r\n".repeat(100)));
      };
      request.socket.on("drain", go);
      go();
    });
    const { client, upstream } = upstreamTo(connectionTo(server.url));
    const answer = client.open({ path: "/endless" });
    await expect(answer.ended).rejects.toMatchObject({
      code: "ResponseInvalid",
      message: expect.stringContaining("too many interim heads"),
    });
    await expect(client.ask()).resolves.toMatchObject({ text: "body" });
    expect(upstream.openStreams).toBe(0);
  });

  test.each(["/../x", "/a/./b", "/a/%2e%2E/b", "/.."])("to %s goes nowhere", async (path) => {
    const server = await startApiServer(answerWith("ok"));
    const { client, upstream } = upstreamTo(connectionTo(`${server.url}/prefix/`));
    await expect(client.ask({ path })).rejects.toMatchObject({ code: "ProtocolViolation" });
    expect(server.connections).toBe(0);
    expect(upstream.counts.refused).toBe(1);
  });

  test.each(["CONNECT", "connect"])("by %s goes nowhere", async (method) => {
    const server = await startApiServer(answerWith("ok"));
    const { client } = upstreamTo(connectionTo(server.url));
    const asked = client.ask({ method, path: "/elsewhere:443" });
    await expect(asked).rejects.toMatchObject({ code: "ProtocolViolation" });
    expect(server.connections).toBe(0);
  });

  test("goes below the prefix of the server, and never where an answer redirects to", async () => {
    const paths: unknown[] = [];
    const server = await startApiServer((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { Location: "http://169.254.169.254/" }).end();
    });
    const { client } = upstreamTo(connectionTo(`${server.url}/prefix/`));
    const answer = await client.ask({ path: "//x/a...b?y=/../z" });
    expect(await answer.status).toBe(302);
    expect(paths).toEqual(["/prefix//x/a...b?y=/../z"]);
  });

  test("beyond the limit is refused, and taken when another has ended", async () => {
    let finish = (): void => {};
    const server = await startApiServer((_, response) => (finish = () => void response.end("done")));
    const { client, upstream } = upstreamTo(connectionTo(server.url), { maxStreams: 1 });
    const first = client.open();
    const [request] = (await once(server.server, "request")) as [IncomingMessage];
    await expect(client.ask()).rejects.toMatchObject({ code: "TooManyRequests" });
    upstream.maxStreams = 2;
    const second = client.open();
    await once(server.server, "request");
    finish();
    await second.ended;
    first.stream.reset("cancelled");
    await closed(request.socket);
    expect(upstream.openStreams).toBe(0);
  });
});

describe("bodies flow", () => {
  test("no faster than they are read, up and down", async () => {
    const size = 48 * 1024 * 1024;
    let written = 0;
    const server = await startApiServer((request, response) => {
      if (request.method === "POST") return;
      const more = (): void => {
        while (written < size) {
          const chunk = Buffer.alloc(64 * 1024);
          written += chunk.length;
          if (!response.write(chunk)) {
            response.once("drain", more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    const { client, upstream } = upstreamTo(connectionTo(server.url));
    const download = client.open();
    download.takes = false;
    const upload = client.open({ method: "POST" }, true);
    let sent = 0;
    while (upload.stream.write(Buffer.alloc(64 * 1024))) sent += 64 * 1024;
    await download.received(1);
    // Bytes that can move without a reader have moved when nothing moves any more.
    await stillness(() => written + upstream.counts.requestBytes);
    expect(written).toBeLessThan(size);
    expect(sent).toBeLessThan(size);
    download.takes = true;
    download.stream.resume();
    await download.ended;
    expect(download.receivedBytes).toBe(size);
    upload.stream.reset("cancelled");
  });

  test("at once, however small: a watch", async () => {
    let watch: ServerResponse | undefined;
    const server = await startApiServer((_, response) => {
      watch = response;
      response.writeHead(200).flushHeaders();
    });
    const { client } = upstreamTo(connectionTo(server.url));
    const answer = client.open({ path: "/api/v1/pods?watch=1" });
    expect(await answer.status).toBe(200);
    watch?.write("a\n");
    await answer.received(2);
    watch?.write("b\n");
    await answer.received(4);
    answer.stream.reset("cancelled");
    await server.left();
  });

  test("an answer may come before the request is complete, and spares the rest of it", async () => {
    const server = await startApiServer((_, response) => void response.writeHead(413).end("too much"));
    const { client, upstream } = upstreamTo(connectionTo(server.url));
    const answer = client.open({ method: "POST" }, true);
    answer.stream.write(Buffer.alloc(1000));
    await answer.ended;
    expect(await answer.status).toBe(413);
    expect(answer.text).toBe("too much");
    await server.left();
    expect(upstream.openStreams).toBe(0);
    expect(client.tunnel.streams).toBe(0);
  });
});

describe("what fails", () => {
  test("is told when nobody listens", async () => {
    const { client, upstream } = upstreamTo(connectionTo("http://127.0.0.1:1"));
    await expect(client.ask()).rejects.toMatchObject({
      code: "ConnectionFailed",
      message: expect.stringContaining("cannot reach the API server at 127.0.0.1:1"),
      details: { reset: "unreachable" },
    });
    expect(upstream.openStreams).toBe(0);
  });

  test("is told when the connection is never made", async () => {
    // A listener whose queue is full, for which there is no portable way: TLS with somebody who says nothing.
    const silent = createServer(() => {});
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const { client } = upstreamTo(connectionTo(`https://127.0.0.1:${port}`), { connectTimeoutMs: 50 });
    await expect(client.ask()).rejects.toMatchObject({
      code: "Timeout",
      message: expect.stringContaining("did not take the agent's connection within 0.05 s"),
    });
  });

  test("is told when the API server closes without an answer, or in the middle of one", async () => {
    const server = await startApiServer((request, response) => {
      if (request.url === "/none") {
        request.socket.destroy();
        return;
      }
      response.writeHead(200, { "Content-Length": 100 });
      response.write("some", () => request.socket.destroy());
    });
    const { client, upstream } = upstreamTo(connectionTo(server.url));
    const failure = { code: "ResponseInvalid", details: { reset: "upstream" } };
    await expect(client.ask({ path: "/none" })).rejects.toMatchObject(failure);
    const broken = client.open({ path: "/some" });
    await expect(broken.ended).rejects.toMatchObject(failure);
    expect(await broken.status).toBe(200);
    expect(upstream.openStreams).toBe(0);
  });

  test.each([
    ["no HTTP", "SSH-2.0-OpenSSH\r\n"],
    ["a head without end", `HTTP/1.1 200 OK\r\nX: ${"a".repeat(200_000)}\r\n\r\n`],
    ["a protocol nobody asked for", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"],
    ["a head too large for the tunnel", `HTTP/1.1 200 OK\r\nX: ${"\u00e9".repeat(70_000)}\r\n\r\n`],
  ])("is told when the API server says %s", async (_, bytes) => {
    const server = createServer((socket) => void socket.on("error", () => {}).write(bytes, "latin1"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { client, upstream } = upstreamTo(connectionTo(`http://127.0.0.1:${port}`));
    await expect(client.ask()).rejects.toMatchObject({ details: { reset: "upstream" } });
    expect(upstream.openStreams).toBe(0);
  });

  test("is tried again where a kept connection was closed and nothing can have changed", async () => {
    let answered = 0;
    const server = await startApiServer((request, response) => {
      // Each connection answers once and is closed when it is used again, as by a server with a short patience.
      if (request.socket.bytesWritten > 0) {
        request.socket.destroy();
        return;
      }
      answered += 1;
      response.end("ok");
    });
    const { client } = upstreamTo(connectionTo(server.url));
    await client.ask();
    expect((await client.ask()).text).toBe("ok");
    await expect(client.ask({ method: "DELETE" })).rejects.toMatchObject({ code: "ResponseInvalid" });
    expect(answered).toBe(2);
    await client.ask();
    await expect(client.open({ upgrade: "websocket" }, true).ended).rejects.toMatchObject({
      code: "ResponseInvalid",
    });
    expect(answered).toBe(3);
  });

  test("ends with the client: the API server sees it go, whatever was under way", async () => {
    const server = await startApiServer((request, response) => {
      if (request.method === "GET") response.writeHead(200).flushHeaders();
    });
    const { client, upstream } = upstreamTo(connectionTo(server.url));
    const watching = client.open();
    await watching.status;
    const uploading = client.open({ method: "POST" }, true);
    uploading.stream.write(Buffer.alloc(100));
    await once(server.server, "request");
    client.tunnel.close();
    await server.left();
    expect(upstream.openStreams).toBe(0);
    await expect(watching.ended).rejects.toMatchObject({ code: "TunnelLost" });
  });
});

describe("credentials", () => {
  /** Knows one token at a time; another one after the first was refused. */
  function changing(tokens: string[]) {
    let current: Credential = { authorization: `Bearer ${tokens[0] ?? ""}` };
    return {
      current: () => Promise.resolve(current),
      replace: (used: Credential) => {
        if (used !== current) return Promise.resolve(current);
        const next = tokens[tokens.findIndex((token) => current.authorization === `Bearer ${token}`) + 1];
        if (next === undefined) return Promise.resolve(undefined);
        current = { authorization: `Bearer ${next}` };
        return Promise.resolve(current);
      },
      close: () => {},
    };
  }

  const guarded = (request: IncomingMessage, response: ServerResponse): void => {
    request.resume();
    const isNew = request.headers.authorization === "Bearer new";
    response.writeHead(isNew ? 200 : 401).end(isNew ? "in" : "out");
  };

  test("that are refused are renewed once for a request without a body", async () => {
    const server = await startApiServer(guarded);
    const access = { credentials: changing(["old", "new"]), tlsMaterial: () => Promise.resolve({}) };
    const { client } = upstreamTo(connectionTo(server.url), { access });
    const answers = await Promise.all([client.ask(), client.ask(), client.ask()]);
    expect(answers.map(({ text }) => text)).toEqual(["in", "in", "in"]);
  });

  test("that are refused are passed on as the API server said it when there are no others", async () => {
    let asked = 0;
    const server = await startApiServer((request, response) => {
      asked += 1;
      guarded(request, response);
    });
    const credentials = changing(["old", "older", "oldest"]);
    const access = { credentials, tlsMaterial: () => Promise.resolve({}) };
    const { client } = upstreamTo(connectionTo(server.url), { access });
    const answer = await client.ask();
    expect([await answer.status, answer.text]).toEqual([401, "out"]);
    expect(asked).toBe(2);
  });

  test("of a request with a body are renewed for the next one", async () => {
    const server = await startApiServer(guarded);
    const access = { credentials: changing(["old", "new"]), tlsMaterial: () => Promise.resolve({}) };
    const { client } = upstreamTo(connectionTo(server.url), { access });
    expect((await client.ask({ method: "POST" }, "body")).text).toBe("out");
    expect((await client.ask({ method: "POST" }, "body")).text).toBe("in");
  });

  test("may be a client certificate, at a real API server", async () => {
    await using cluster = await startSimulation();
    const { cert, key } = cluster.clientCertificate("agent", ["system:masters"]);
    const { client } = upstreamTo(
      connectionTo(cluster.url, {
        ca: { pem: cluster.caCert },
        auth: { type: "none" },
        clientCertificate: { cert: { pem: cert }, key: { pem: key } },
      }),
    );
    const answer = await client.ask({ path: "/api/v1/namespaces/kube-system" });
    expect(JSON.parse(answer.text)).toMatchObject({ kind: "Namespace", metadata: { name: "kube-system" } });
  });

  test("do not go to somebody whose certificate is not trusted", async () => {
    await using cluster = await startSimulation();
    const { client } = upstreamTo(connectionTo(cluster.url));
    await expect(client.ask()).rejects.toMatchObject({ details: { reset: "unreachable" } });
  });

  test("may not impersonate", () => {
    const connection = connectionTo("http://127.0.0.1:1", {
      impersonate: { groups: [], extra: {}, user: "x" },
    });
    expect(() => upstreamTo(connection)).toThrow("impersonates somebody");
  });
});

async function startSimulation() {
  const cluster = await startKubesim({ controllers: false });
  return Object.assign(cluster, { [Symbol.asyncDispose]: () => cluster.stop() });
}
