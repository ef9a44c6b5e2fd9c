import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ManualClock } from "@bowline/core/testing";
import { FaultyNetwork } from "@bowline/test-services";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { TestAuthority, type TestCertificate } from "@bowline/test-services/certificates";
import {
  sendJson,
  testConnection,
  TestServer,
  textOfBody,
  type TestHandler,
  type TestServerOptions,
} from "../testing/test-server.ts";
import type { Transport } from "../transport.ts";
import { connect, type ConnectOptions } from "./connect.ts";

let authority: TestAuthority;
let serverCertificate: TestCertificate;
const cleanups: (() => Promise<void>)[] = [];

beforeAll(async () => {
  authority = await TestAuthority.create();
  serverCertificate = await authority.issue({ commonName: "api" });
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function startServer(
  handler: TestHandler,
  options: Partial<TestServerOptions> = {},
): Promise<TestServer> {
  const server = await TestServer.start(handler, { tls: serverCertificate, ...options });
  cleanups.push(() => server.close());
  return server;
}

function open(server: TestServer, options: ConnectOptions = {}, path = ""): Transport {
  const transport = connect(testConnection(`${server.url}${path}`, { ca: { pem: authority.cert } }), options);
  cleanups.push(() => transport.close());
  return transport;
}

describe.each(["http1", "http2"] as const)("over %s", (protocol) => {
  const http2 = protocol === "http2";

  it("speaks the protocol it was told to and says whether it notices a dead peer", async () => {
    const server = await startServer((request, response) => sendJson(response, 200, request.httpVersion), {
      http2,
    });
    const transport = open(server, { protocol });
    const response = await transport.request({ method: "GET", path: "/version" });
    expect(await textOfBody(response)).toBe(http2 ? '"2.0"' : '"1.1"');
    expect(transport.detectsDeadPeer).toBe(http2);
  });

  it("sends method, path, headers and body, below the path of the server URL", async () => {
    const server = await startServer(
      (request, response) => {
        let body = "";
        request.on("data", (chunk: Buffer) => (body += chunk.toString()));
        request.on("end", () => {
          const { method, url, headers } = request;
          sendJson(response, 201, {
            method,
            url,
            type: headers["content-type"],
            agent: headers["user-agent"],
            body,
          });
        });
      },
      { http2 },
    );
    const transport = open(server, { protocol }, "/k8s/clusters/c-1/");
    const response = await transport.request({
      method: "PATCH",
      path: "/api/v1/pods?limit=1",
      headers: { "content-type": "application/merge-patch+json" },
      body: '{"ä":1}',
    });
    expect(response.status).toBe(201);
    expect(JSON.parse(await textOfBody(response))).toEqual({
      method: "PATCH",
      url: "/k8s/clusters/c-1/api/v1/pods?limit=1",
      type: "application/merge-patch+json",
      agent: "bowline",
      body: '{"ä":1}',
    });
  });

  it("streams a body far larger than its buffers, intact", async () => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const server = await startServer(
      (_request, response) => {
        let left = 256;
        const more = (): void => {
          while (left > 0) {
            left -= 1;
            if (!response.write(chunk)) return;
          }
          response.end();
        };
        response.on("drain", more);
        more();
      },
      { http2 },
    );
    const response = await open(server, { protocol }).request({ method: "GET", path: "/big" });
    let size = 0;
    for await (const part of response.body as AsyncIterable<Buffer>) size += part.length;
    expect(size).toBe(256 * chunk.length);
  });

  it("stops the server when nobody reads, and lets other requests through meanwhile", async () => {
    let written = 0;
    const stalled = Promise.withResolvers<void>();
    const server = await startServer(
      (request, response) => {
        if (request.url !== "/flood") return sendJson(response, 200, {});
        while (response.write(Buffer.alloc(64 * 1024))) written += 64 * 1024;
        // Nothing leaves the server any more once its own buffer stays full for two turns.
        let seen = -1;
        const watch = setInterval(() => {
          if (response.writableLength === seen) stalled.resolve();
          seen = response.writableLength;
        }, 50);
        response.once("close", () => clearInterval(watch));
        return undefined;
      },
      { http2 },
    );
    const transport = open(server, { protocol });
    const flood = await transport.request({ method: "GET", path: "/flood", longLived: true });
    await stalled.promise;
    expect(written).toBeLessThan(64 * 1024 * 1024);
    const other = await transport.request({ method: "GET", path: "/other", longLived: true });
    expect(await textOfBody(other)).toBe("{}");
    flood.body.destroy();
  });

  it("cancels on the server when the body is destroyed, and keeps working", async () => {
    const closed = Promise.withResolvers<void>();
    const server = await startServer(
      (request, response) => {
        if (request.url !== "/watch") return sendJson(response, 200, {});
        response.once("close", () => closed.resolve());
        response.write("line\n");
        return undefined;
      },
      { http2 },
    );
    const transport = open(server, { protocol });
    const watch = await transport.request({ method: "GET", path: "/watch", longLived: true });
    await once(watch.body, "readable");
    watch.body.destroy();
    await closed.promise;
    expect((await transport.request({ method: "GET", path: "/next" })).status).toBe(200);
  });

  it("ends with Cancelled when its signal aborts, before the answer and in its middle", async () => {
    const arrived: ServerResponse[] = [];
    const waiting = Promise.withResolvers<void>();
    const server = await startServer(
      (request, response) => {
        arrived.push(response);
        if (request.url === "/half") response.write("half");
        else waiting.resolve();
      },
      { http2 },
    );
    const transport = open(server, { protocol });
    const before = new AbortController();
    const silent = transport.request({ method: "GET", path: "/silent", signal: before.signal });
    await waiting.promise;
    before.abort();
    await expect(silent).rejects.toMatchObject({ code: "Cancelled" });

    const during = new AbortController();
    const half = await transport.request({ method: "GET", path: "/half", signal: during.signal });
    await once(half.body, "readable");
    during.abort();
    await expect(textOfBody(half)).rejects.toMatchObject({ code: "Cancelled" });

    await expect(
      transport.request({ method: "GET", path: "/never", signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: "Cancelled" });
    expect(arrived).toHaveLength(2);
  });

  it("reports a connection that breaks in the middle of a body", async () => {
    const server = await startServer((_request, response) => void response.write("half a li"), { http2 });
    const response = await open(server, { protocol }).request({ method: "GET", path: "/", longLived: true });
    await once(response.body, "readable");
    for (const socket of server.sockets) socket.destroy();
    await expect(textOfBody(response)).rejects.toMatchObject({ code: "ConnectionFailed", retryable: true });
  });

  it("waits forever for a stream, but not for an ordinary answer", async () => {
    const server = await startServer(
      (request, response) => void (request.url !== "/head" && response.write("x")),
      {
        http2,
      },
    );
    const forHead = open(server, { protocol, headersTimeoutMs: 100 });
    await expect(forHead.request({ method: "GET", path: "/head" })).rejects.toMatchObject({
      code: "ConnectionFailed",
    });
    const forBody = open(server, { protocol, bodyTimeoutMs: 100 });
    const stream = await forBody.request({ method: "GET", path: "/stream", longLived: true });
    const body = await forBody.request({ method: "GET", path: "/body" });
    await expect(textOfBody(body)).rejects.toMatchObject({ code: "ConnectionFailed" });
    expect(stream.body.destroyed).toBe(false);
  });

  it("ends everything when it is closed", async () => {
    const server = await startServer((_request, response) => void response.write("x"), { http2 });
    const transport = open(server, { protocol });
    const stream = await transport.request({ method: "GET", path: "/", longLived: true });
    const [socket] = server.sockets;
    await Promise.all([transport.close(), once(socket ?? stream.body, "close")]);
    await expect(textOfBody(stream)).rejects.toMatchObject({ code: "Cancelled" });
    await expect(transport.request({ method: "GET", path: "/" })).rejects.toMatchObject({
      code: "Cancelled",
    });
  });
});

it("ends an HTTP/2 connection that went silent, and the next request gets a new one", async () => {
  const server = await startServer((_request, response) => void response.write("x"), { http2: true });
  const network = await FaultyNetwork.start(Number(new URL(server.url).port));
  cleanups.push(() => network[Symbol.asyncDispose]());
  const url = `https://127.0.0.1:${network.port}`;
  const transport = connect(testConnection(url, { ca: { pem: authority.cert } }), {
    protocol: "http2",
    deadPeer: { pingIntervalMs: 50, silenceLimitMs: 200 },
  });
  cleanups.push(() => transport.close());
  const watch = await transport.request({ method: "GET", path: "/", longLived: true });
  await once(watch.body, "readable");
  network.swallow();
  await expect(textOfBody(watch)).rejects.toMatchObject({ code: "ConnectionFailed", retryable: true });
  expect((await transport.request({ method: "GET", path: "/", longLived: true })).status).toBe(200);
});

it("keeps a silent HTTP/2 watch as long as its server answers pings", async () => {
  const server = await startServer((_request, response) => void response.write("x"), { http2: true });
  const transport = open(server, {
    protocol: "http2",
    deadPeer: { pingIntervalMs: 20, silenceLimitMs: 100 },
  });
  const watch = await transport.request({ method: "GET", path: "/", longLived: true });
  await once(watch.body, "readable");
  const pings = await new Promise<number>((resolve) => {
    let count = 0;
    const [socket] = server.sockets;
    let last = socket?.bytesRead ?? 0;
    const timer = setInterval(() => {
      if (socket !== undefined && socket.bytesRead > last) count += 1;
      last = socket?.bytesRead ?? 0;
      if (count >= 10 || socket === undefined || socket.destroyed) {
        clearInterval(timer);
        resolve(count);
      }
    }, 20);
  });
  expect(pings).toBe(10);
  expect(watch.body.destroyed).toBe(false);
});

it("shows the client certificate, and a renewed one once its files change", async () => {
  const directory = await mkdtemp(join(tmpdir(), "kube-tls-"));
  cleanups.push(() => rm(directory, { recursive: true }));
  const [cert, key] = [join(directory, "cert.pem"), join(directory, "key.pem")];
  const writePair = async (commonName: string): Promise<void> => {
    const pair = await authority.issue({ commonName });
    await writeFile(cert, pair.cert);
    await writeFile(key, pair.key);
  };
  const server = await startServer(
    (request, response) =>
      sendJson(response, 200, (request.socket as TLSSocket).getPeerCertificate().subject.CN),
    { tls: { ...serverCertificate, clientCa: authority.cert } },
  );
  await writePair("first");
  const clock = new ManualClock();
  const transport = connect(
    testConnection(server.url, {
      ca: { pem: authority.cert },
      clientCertificate: { cert: { file: cert }, key: { file: key } },
    }),
    { clock },
  );
  cleanups.push(() => transport.close());
  const whoAmI = async (): Promise<string> =>
    textOfBody(await transport.request({ method: "GET", path: "/" }));

  expect(await whoAmI()).toBe('"first"');
  await writePair("second");
  expect(await whoAmI()).toBe('"first"');
  await clock.advance(10_000);
  expect(await whoAmI()).toBe('"second"');

  // Half of a renewal: the key does not fit yet.
  const third = await authority.issue({ commonName: "third" });
  await writeFile(cert, third.cert);
  await clock.advance(10_000);
  expect(await whoAmI()).toBe('"second"');
  await writeFile(key, third.key);
  await clock.advance(10_000);
  expect(await whoAmI()).toBe('"third"');
});

it("asks for gzip only when told to, and hands out plain bytes", async () => {
  const server = await startServer((request, response) => {
    if (request.headers["accept-encoding"] !== "gzip") return sendJson(response, 200, "plain");
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    const whole = gzipSync('"compressed"');
    return void response.end(request.url === "/broken" ? whole.subarray(0, 12) : whole);
  });
  const ask = async (compression: boolean, path = "/"): Promise<string> =>
    textOfBody(await open(server, { compression }).request({ method: "GET", path }));
  expect(await ask(false)).toBe('"plain"');
  expect(await ask(true)).toBe('"compressed"');
  await expect(ask(true, "/broken")).rejects.toMatchObject({ code: "ResponseInvalid" });
});

it("impersonates with one header per group", async () => {
  const server = await startServer((request, response) => sendJson(response, 200, request.rawHeaders));
  const transport = connect(
    testConnection(server.url, {
      ca: { pem: authority.cert },
      impersonate: { user: "auditor", groups: ["dev", "ops"], uid: "7", extra: { "acme.com/team": ["a"] } },
    }),
  );
  cleanups.push(() => transport.close());
  const raw = JSON.parse(await textOfBody(await transport.request({ method: "GET", path: "/" }))) as string[];
  const pairs = raw.flatMap((name, index) =>
    index % 2 === 0 ? [`${name.toLowerCase()}: ${raw[index + 1]}`] : [],
  );
  expect(pairs.filter((pair) => pair.startsWith("impersonate"))).toEqual([
    "impersonate-user: auditor",
    "impersonate-uid: 7",
    "impersonate-group: dev",
    "impersonate-group: ops",
    "impersonate-extra-acme.com%2fteam: a",
  ]);
});

it("keeps requests flowing when watches hold more sockets than requests may have", async () => {
  const server = await startServer((request, response) => {
    if (request.url === "/watch") response.write("x");
    else sendJson(response, 200, {});
  });
  const transport = open(server, { maxConnections: 1 });
  await Promise.all(
    Array.from({ length: 5 }, () => transport.request({ method: "GET", path: "/watch", longLived: true })),
  );
  expect((await transport.request({ method: "GET", path: "/" })).status).toBe(200);
});
