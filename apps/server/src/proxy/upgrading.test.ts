import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";

import { ManualClock } from "@bowline/core/testing";
import type { AcceptStream } from "@bowline/protocol";
import { describe, expect, test } from "vitest";

import { makeAuthority } from "@bowline/tls/issue";
import { openProxy, type HarnessOptions, type ProxyHarness } from "./testing/proxy-harness.ts";

const exec = "/clusters/prod/api/v1/namespaces/shop/pods/web/exec?command=sh";
const spdy = ["Connection: Upgrade", "Upgrade: SPDY/3.1", "X-Stream-Protocol-Version: v4.channel.k8s.io"];
const head = (method: string, ...lines: string[]): string[] => [
  `${method} ${exec} HTTP/1.1`,
  "Host: x",
  ...lines,
];
const asOperator = "Authorization: Bearer operator";

/** As a browser asks for one that a page of this origin opens. */
const webSocket = (origin: string | undefined): string[] => [
  `GET ${exec} HTTP/1.1`,
  "Host: bowline.example.com",
  "Connection: keep-alive, Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Protocol: v5.channel.k8s.io",
  "Cookie: theme=dark; __Host-bowline=operator",
  ...(origin === undefined ? [] : [`Origin: ${origin}`]),
];

/** A server that speaks whatever protocol is asked for, by saying everything again. */
async function openEcho(
  options: HarnessOptions = {},
): Promise<ProxyHarness & { asked: NodeJS.Dict<string[]>[] }> {
  const harness = await openProxy(options);
  const asked: NodeJS.Dict<string[]>[] = [];
  harness.upstream.on("upgrade", (incoming, socket: Socket, early) => {
    asked.push(incoming.headersDistinct);
    const protocol = incoming.headers["sec-websocket-protocol"]?.split(",")[0];
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${incoming.headers.upgrade}\r\n` +
        `${protocol === undefined ? "" : `Sec-WebSocket-Protocol: ${protocol}\r\n`}Set-Cookie: a=b\r\n\r\n`,
    );
    socket.write(early);
    socket.pipe(socket);
    socket.on("error", () => {});
  });
  return Object.assign(harness, { asked });
}

test("a request of our own page shows the cookie of a session, which the cluster is not told", async () => {
  const asked: object[] = [];
  const { call } = await openProxy({
    onRequest: (incoming, outgoing) => {
      asked.push(incoming.headers);
      outgoing.end("{}");
    },
  });
  const headers = { cookie: "a=b; __Host-bowline=operator", "sec-fetch-site": "same-origin" };
  const read = await call("/api/v1/pods", { as: null, headers });
  const write = await call("/api/v1/pods", { as: null, headers, method: "POST", body: "{}" });
  const page = await call("/api/v1/pods", {
    as: null,
    headers: { ...headers, "sec-fetch-dest": "document" },
  });
  expect([read.status, write.status, page.status]).toEqual([200, 401, 401]);
  expect(asked).toMatchObject([{ "impersonate-user": "admin" }]);
  expect(JSON.stringify(asked)).not.toMatch(/cookie|__Host-bowline|sec-fetch/iu);
});

describe("an upgraded connection", () => {
  test.each(["plainly", "by TLS"])(
    "carries bytes both ways %s, each side ending its own half",
    async (way) => {
      const options = way === "by TLS" ? { tls: await makeAuthority(Date.now()) } : {};
      const { upgrade, asked, idle, audited } = await openEcho(options);
      const {
        socket,
        head: answer,
        early,
      } = await upgrade(head("POST", asOperator, "Content-Length: 0", ...spdy), "early ");
      expect(answer).toMatch(
        /^HTTP\/1\.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY\/3\.1\r\n/u,
      );
      expect(answer).not.toMatch(/set-cookie/iu);
      expect(asked[0]).toMatchObject({
        upgrade: ["SPDY/3.1"],
        connection: ["Upgrade"],
        "x-stream-protocol-version": ["v4.channel.k8s.io"],
        "impersonate-user": ["admin"],
      });
      expect(asked[0]).not.toHaveProperty("authorization");
      socket.write(Buffer.alloc(3_000_000, "z"));
      socket.end("late");
      const echoed = early + (await text(socket));
      expect([echoed.length, /^early z+late$/u.test(echoed)]).toEqual([3_000_010, true]);
      await idle();
      const bytes = 3_000_010;
      expect(await audited()).toMatchObject([
        {
          httpStatus: 101,
          outcome: "allowed",
          proxy: { phase: "start", subresource: "exec", upgrade: "SPDY/3.1" },
        },
        {
          httpStatus: 101,
          outcome: "allowed",
          proxy: { phase: "end", requestBytes: bytes, answerBytes: bytes, name: "web" },
        },
      ]);
    },
  );

  test("may show its token as a subprotocol, which the cluster is not told", async () => {
    const { upgrade, asked } = await openEcho();
    const token = Buffer.from("operator").toString("base64url");
    const { head: answer, socket } = await upgrade(
      head(
        "GET",
        "Connection: keep-alive, Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        `Sec-WebSocket-Protocol: v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.${token}`,
      ),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 101 /u);
    expect(answer).toMatch(/\r\nSec-WebSocket-Protocol: v5\.channel\.k8s\.io(?:\r\n|$)/u);
    expect(asked[0]).toMatchObject({
      "sec-websocket-protocol": ["v5.channel.k8s.io"],
      "sec-websocket-key": ["dGhlIHNhbXBsZSBub25jZQ=="],
    });
    expect(JSON.stringify(asked)).not.toContain(token);
    socket.destroy();
  });

  test("of our own page may show the cookie of a session, which the cluster is not told", async () => {
    const { upgrade, asked } = await openEcho();
    const { head: answer, socket } = await upgrade(webSocket("http://bowline.example.com"));
    expect(answer).toMatch(/^HTTP\/1\.1 101 /u);
    expect(asked[0]).toMatchObject({ "impersonate-user": ["admin"] });
    expect(JSON.stringify(asked)).not.toMatch(/cookie|__Host-bowline|origin/iu);
    socket.destroy();
  });

  test.each([
    "https://evil.example.com",
    "http://sibling.bowline.example.com",
    "http://bowline.example.com:8080",
    "null",
    undefined,
  ])("of the page %s may not", async (origin) => {
    const { upgrade, asked } = await openEcho();
    const { head: answer } = await upgrade(webSocket(origin));
    expect(answer).toMatch(/^HTTP\/1\.1 401 /u);
    expect(asked).toEqual([]);
  });

  test("ends with its client, and is noticed by the cluster", async () => {
    const { upgrade, upstream, idle, audited } = await openEcho();
    const gone = new Promise<void>((resolve) => {
      upstream.on("upgrade", (_, socket: Socket) => socket.on("close", () => resolve()));
    });
    const { socket } = await upgrade(head("POST", asOperator, ...spdy));
    socket.resetAndDestroy();
    await gone;
    await idle();
    expect(await audited()).toMatchObject([{ proxy: { phase: "start" } }, { proxy: { phase: "end" } }]);
  });

  test("ends when the agent is lost", async () => {
    const { upgrade, tunnels, audited } = await openEcho();
    const { socket } = await upgrade(head("POST", asOperator, ...spdy));
    const closed = once(socket.resume(), "close");
    tunnels.agent.close();
    socket.on("end", () => socket.end());
    await closed;
    expect((await audited()).at(-1)).toMatchObject({
      outcome: "failed",
      message: expect.stringContaining("tunnel"),
      proxy: { phase: "end" },
    });
  });

  test("of which one side has ended, and the other does nothing, ends after a while", async () => {
    const clock = new ManualClock();
    const { upgrade, upstream, idle, tunnels } = await openProxy({ clock });
    const heard = Promise.withResolvers<void>();
    upstream.on("upgrade", (_, socket: Socket) => {
      socket.on("data", () => heard.resolve());
      socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nbye");
    });
    const { socket, early } = await upgrade(head("POST", asOperator, ...spdy));
    expect(early + (await text(socket))).toBe("bye");
    await clock.advance(30_000);
    socket.write("still here");
    await heard.promise;
    await clock.advance(40_000);
    expect(tunnels.server.streams).toBe(1);
    await clock.advance(60_000);
    await idle();
    expect(tunnels.server.streams).toBe(0);
  });

  test("whose cluster reads nothing is not held for ever, since its client could leave unseen", async () => {
    const clock = new ManualClock();
    const accept: AcceptStream = (stream) => {
      stream.sendHeaders({ status: 101, headers: [] });
      return { data: () => false, end: () => {}, error: () => {} };
    };
    const { upgrade, tunnels, audited } = await openProxy({ clock, accept });
    const { socket } = await upgrade(head("POST", asOperator, ...spdy));
    socket.write(Buffer.alloc(2_000_000));
    await expect.poll(() => tunnels.agent.heldBytes).toBeGreaterThan(0);
    await clock.advance(14 * 60_000);
    expect(tunnels.server.streams).toBe(1);
    socket.resetAndDestroy();
    while (tunnels.server.streams > 0) await clock.advance(60_000);
    expect((await audited()).at(-1)).toMatchObject({ outcome: "failed", proxy: { phase: "end" } });
  });

  test("ends when its token is revoked", async () => {
    const { upgrade, access, idle } = await openEcho();
    const { socket } = await upgrade(head("POST", asOperator, ...spdy));
    const ended = once(socket.resume(), "end");
    access.revoke();
    await expect(ended).resolves.toEqual([]);
    await idle();
  });
});

describe("an upgrade that is not to be", () => {
  test.each([
    ["without a token", 401, []],
    ["with a wrong token", 401, ["Authorization: Bearer nobody"]],
    ["without a grant", 403, ["Authorization: Bearer viewer"]],
    ["as somebody else", 403, [asOperator, "Impersonate-User: root"]],
    ["with a body", 400, [asOperator, "Content-Length: 5"]],
  ])("%s is answered with a Status, and the connection ends", async (_, status, lines) => {
    const { upgrade, asked } = await openEcho();
    const { head: answer, socket, early } = await upgrade(head("POST", ...lines, ...spdy));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `, "u"));
    expect(answer.toLowerCase()).toMatch(/connection: close/u);
    expect(answer.toLowerCase()).toContain("x-bowline-error-from: server");
    expect(JSON.parse(early + (await text(socket)))).toMatchObject({ kind: "Status", code: status });
    expect(asked).toEqual([]);
  });

  test("is told what the cluster answers instead", async () => {
    const { upgrade, audited, idle } = await openProxy({
      onRequest: (_, outgoing) => {
        outgoing.writeHead(403, { "content-type": "application/json" });
        outgoing.end(`{"kind":"Status","big":"${"x".repeat(500_000)}"}`);
      },
    });
    const { head: answer, socket, early } = await upgrade(head("POST", asOperator, ...spdy));
    expect(answer).toMatch(/^HTTP\/1\.1 403 /u);
    expect(answer.toLowerCase()).not.toContain("x-bowline-error-from");
    expect((early + (await text(socket))).length).toBeGreaterThan(500_000);
    await idle();
    expect(await audited()).toMatchObject([
      { httpStatus: 403, outcome: "denied", proxy: { upgrade: "SPDY/3.1" } },
    ]);
  });

  test("is told when the agent is offline", async () => {
    const { upgrade, tunnels } = await openProxy();
    tunnels.isOffline = true;
    const { head: answer } = await upgrade(head("POST", asOperator, ...spdy));
    expect(answer).toMatch(/^HTTP\/1\.1 503 /u);
  });

  test("is refused when the cluster changes to something else", async () => {
    const { upgrade, upstream } = await openProxy();
    upstream.on("upgrade", (_, socket: Socket) => {
      socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n");
    });
    const { head: answer } = await upgrade(head("POST", asOperator, ...spdy));
    expect(answer).toMatch(/^HTTP\/1\.1 502 /u);
  });

  test("of another address is answered as if nobody had asked for one", async () => {
    const { upgrade } = await openProxy();
    const lines = ["Host: x", asOperator, "Connection: Upgrade", "Upgrade: h2c"];
    const get = await upgrade(["GET /api/v1/clusters/prod HTTP/1.1", ...lines]);
    expect(get.head).toMatch(/^HTTP\/1\.1 200 /u);
    const body = JSON.stringify({ metadata: { name: "other" }, spec: {} });
    const length = `Content-Length: ${body.length}`;
    const post = ["POST /api/v1/clusters HTTP/1.1", ...lines, "Content-Type: application/json", length];
    expect((await upgrade(post, body)).head).toMatch(/^HTTP\/1\.1 201 /u);
  });

  test("behind requests that are not answered yet is answered like them, and nothing is left of any", async () => {
    const asked: string[] = [];
    const all = Promise.withResolvers<void>();
    const { port, idle, audited } = await openProxy({
      onRequest: ({ url = "", headers }, outgoing) => {
        asked.push(`${url} ${headers.upgrade}`);
        if (url !== "/slow") outgoing.end("ok");
        if (asked.length === 3) all.resolve();
      },
    });
    const socket = connect({ port, host: "127.0.0.1" });
    const plain = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${asOperator}\r\n\r\n`;
    const last = `${head("POST", asOperator, ...spdy).join("\r\n")}\r\n\r\n`;
    socket.write(`${plain("/clusters/prod/slow")}${plain("/clusters/prod/version")}${last}`);
    await all.promise;
    expect(asked.toSorted()).toEqual([
      "/api/v1/namespaces/shop/pods/web/exec?command=sh undefined",
      "/slow undefined",
      "/version undefined",
    ]);
    socket.destroy();
    await idle();
    expect(await audited()).toHaveLength(3);
  });

  test("ends with its client in the cluster, whatever the client has sent after it", async () => {
    const { upgrade, idle } = await openProxy({ onRequest: (_, outgoing) => void outgoing.write("begun") });
    const { head: answer, socket } = await upgrade(head("POST", asOperator, ...spdy), "x".repeat(300_000));
    expect(answer).toMatch(/^HTTP\/1\.1 200 /u);
    socket.end();
    await idle();
  });

  test("by a program in a pod is not waited for", async () => {
    const clock = new ManualClock();
    const asked = Promise.withResolvers<void>();
    const { upgrade, upstream } = await openProxy({ clock, limits: { answerTimeoutMs: 5_000 } });
    upstream.on("upgrade", () => asked.resolve());
    const lines = head("GET", asOperator, ...spdy);
    const upgraded = upgrade(lines.with(0, lines[0]?.replace("exec?command=sh", "proxy/x") ?? ""));
    await asked.promise;
    await clock.advance(6_000);
    expect((await upgraded).head).toMatch(/^HTTP\/1\.1 504 /u);
  });
});
