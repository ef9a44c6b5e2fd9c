import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";

import { Cluster } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeAll, describe, expect, test } from "vitest";

import type { ClientOptions } from "../client-options.ts";
import { createClient } from "../create-client.ts";
import { sampleCluster } from "../testing/sample-cluster.ts";
import { TestAuthority } from "../testing/test-authority.ts";
import { errorBody, sendJson, TestServer, type TestHandler } from "../testing/test-server.ts";

let authority: TestAuthority;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  authority = await TestAuthority.create();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** The outcome for somebody who asks for a cluster, once. */
async function failureOf(options: ClientOptions): Promise<BowlineError> {
  const client = createClient({ ...options, limits: { maxAttempts: 1, ...options.limits } });
  cleanups.push(() => client.close());
  try {
    await client.get(Cluster, "prod");
  } catch (error) {
    if (error instanceof BowlineError) return error;
    throw error;
  }
  throw new Error("The request should have failed.");
}

async function startServer(...parameters: Parameters<typeof TestServer.start>): Promise<TestServer> {
  const server = await TestServer.start(...parameters);
  cleanups.push(() => server[Symbol.asyncDispose]());
  return server;
}

async function answeredBy(handler: TestHandler, limits: ClientOptions["limits"] = {}): Promise<BowlineError> {
  return failureOf({ server: (await startServer(handler)).url, limits });
}

/** Anything that takes TCP connections; what it does with them is up to the test. */
async function startTcp(onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    onSocket(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return (server.address() as AddressInfo).port;
}

describe("what the server refuses", () => {
  test("keeps its code, its words, its fields and its request id", async () => {
    const fields = [{ path: "spec.region", message: "must be a region" }];
    const error = await answeredBy((_request, response) =>
      sendJson(response, 422, errorBody("Invalid", "Cluster prod is not valid.", { fields })),
    );
    expect(error).toMatchObject({
      code: "Invalid",
      message: "Cluster prod is not valid.",
      details: { fields, requestId: "req-1", httpStatus: 422 },
    });
  });

  test("with a code of a newer server is understood by its status", async () => {
    const error = await answeredBy((_request, response) =>
      sendJson(response, 409, errorBody("QuotaUsedUp", "There are too many clusters.", { newField: 1 })),
    );
    expect(error).toMatchObject({
      code: "Conflict",
      message: "There are too many clusters.",
      details: { serverCode: "QuotaUsedUp" },
    });
  });

  test.each([
    [502, "<h1>Bad Gateway</h1>", "text/html", "ServerUnavailable"],
    [500, "", "", "ServerError"],
    [404, "<h1>Not Found</h1>", "text/html", "NotBowline"],
    [403, "{}", "application/json", "Forbidden"],
  ])("%i with %j of somebody in between is told apart", async (status, body, type, code) => {
    const error = await answeredBy((_request, response) => {
      response.writeHead(status, type === "" ? {} : { "content-type": type }).end(body);
    });
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/\.$/);
  });
});

describe("answers that are not what they should be", () => {
  test("a login page", async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<!doctype html>");
    });
    const error = await failureOf({ server: server.url });
    expect(error.code).toBe("NotBowline");
    expect(error.message).toBe(
      `${server.url} answered 200 with text/html; charset=utf-8 instead of JSON; check the address, and whether a proxy or a login page answers in its place.`,
    );
  });

  test("JSON that breaks off", async () => {
    const error = await answeredBy((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"kind":"Clus');
    });
    expect(error.code).toBe("ResponseInvalid");
  });

  test("JSON of something else", async () => {
    for (const body of [null, [], { kind: "User" }, { ...sampleCluster("x"), metadata: {} }]) {
      const error = await answeredBy((_request, response) => sendJson(response, 200, body));
      expect(error).toMatchObject({ code: "ResponseInvalid", message: expect.stringContaining("a Cluster") });
    }
  });

  test("half an answer", async () => {
    const error = await answeredBy((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
      response.write('{"kind":', () => response.destroy());
    });
    expect(error.code).toBe("ConnectionFailed");
  });

  test("an answer without an end is not read to its end", async () => {
    const closed = Promise.withResolvers<void>();
    const error = await answeredBy(
      (_request, response) => {
        response.writeHead(200, { "content-type": "application/json" }).once("close", closed.resolve);
        const more = (): void => {
          while (!response.destroyed && response.write("x".repeat(65_536)));
        };
        response.on("drain", more);
        more();
      },
      { maxAnswerBytes: 1_000_000 },
    );
    expect(error).toMatchObject({ code: "ResponseTooLarge", details: { maxBytes: 1_000_000 } });
    await closed.promise;
  });

  test("an answer that drips", async () => {
    const clock = new ManualClock();
    const [begun, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { url } = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).once("close", closed.resolve);
      const drip = setInterval(() => response.write(" ", () => begun.resolve()), 5);
      response.once("close", () => clearInterval(drip));
    });
    const error = failureOf({ server: url, clock });
    await begun.promise;
    await clock.advance(60_000);
    expect((await error).code).toBe("Timeout");
    await closed.promise;
  });

  test("no answer at all", async () => {
    const error = await answeredBy(() => undefined, { requestTimeoutMs: 50 });
    expect(error).toMatchObject({
      code: "Timeout",
      message: expect.stringContaining("did not answer within 0.05 s"),
    });
  });
});

describe("each failure on the way is one sentence that says where and what to do", () => {
  test("nobody listens", async () => {
    const port = await startTcp(() => undefined);
    await cleanups.pop()?.();
    expect(await failureOf({ server: `http://127.0.0.1:${port}` })).toMatchObject({
      code: "ConnectionFailed",
      message: `Nothing listens at 127.0.0.1:${port}; check that the server runs, and the address and port.`,
    });
  });

  test("an unknown host", async () => {
    expect(await failureOf({ server: "https://no-such-host.invalid" })).toMatchObject({
      code: "ConnectionFailed",
      message: "The host name of no-such-host.invalid:443 is not known; check its spelling, and DNS.",
    });
  });

  test("a certificate nobody vouches for: how to pin it", async () => {
    const server = await startServer(
      (_request, response) => sendJson(response, 200, {}),
      await authority.issue(),
    );
    const error = await failureOf({ server: server.url });
    expect(error.code).toBe("CertificateUntrusted");
    expect(error.message).toContain(`pin it with \`bowline login ${server.url} --ca-file FILE\``);
  });

  test("another authority than the one that is pinned", async () => {
    const server = await startServer(
      (_request, response) => sendJson(response, 200, {}),
      await authority.issue(),
    );
    const other = await TestAuthority.create("other");
    const error = await failureOf({ server: server.url, caPem: other.pem });
    expect(error.code).toBe("CertificateUntrusted");
    expect(error.message).toContain("log in again");
  });

  test("a certificate for another host", async () => {
    const server = await startServer(
      (_request, response) => sendJson(response, 200, {}),
      await authority.issue({ hosts: ["elsewhere.example"] }),
    );
    const error = await failureOf({ server: server.url, caPem: authority.pem });
    expect(error).toMatchObject({
      code: "CertificateUntrusted",
      message: expect.stringContaining("another host name"),
    });
  });

  test("an expired certificate", async () => {
    const tls = await authority.issue({ notAfter: new Date(Date.now() - 60_000) });
    const server = await startServer((_request, response) => sendJson(response, 200, {}), tls);
    expect((await failureOf({ server: server.url, caPem: authority.pem })).code).toBe("CertificateExpired");
  });

  test("https to a port that speaks plain HTTP", async () => {
    const server = await startServer((_request, response) => sendJson(response, 200, {}));
    const error = await failureOf({ server: server.url.replace("http:", "https:") });
    expect(error).toMatchObject({
      code: "NotBowline",
      message: expect.stringContaining("begin with http://"),
    });
  });

  test("http to a port that speaks TLS", async () => {
    const server = await startServer(
      (_request, response) => sendJson(response, 200, {}),
      await authority.issue(),
    );
    const error = await failureOf({ server: server.url.replace("https:", "http:") });
    expect(error.message).toMatch(/begin with (http:\/\/ or )?https:\/\//);
  });

  test("something that is no HTTP", async () => {
    const port = await startTcp((socket) => socket.once("data", () => socket.end("SSH-2.0-OpenSSH_9.2\r\n")));
    expect((await failureOf({ server: `http://127.0.0.1:${port}` })).code).toBe("NotBowline");
  });

  test("a connection that is reset", async () => {
    const port = await startTcp((socket) => socket.once("data", () => socket.resetAndDestroy()));
    const error = await failureOf({ server: `http://127.0.0.1:${port}` });
    expect(error).toMatchObject({ code: "ConnectionFailed", message: expect.stringContaining("broke") });
  });

  test("a proxy that is not there is named, without its password", async () => {
    const port = await startTcp(() => undefined);
    await cleanups.pop()?.();
    const proxyUrl = `http://deputy:secret-pw@127.0.0.1:${port}`;
    const error = await failureOf({ server: "http://bowline.example.com", proxyUrl });
    expect(error.message).toContain(
      `Nothing listens at the proxy http://127.0.0.1:${port}; correct HTTPS_PROXY`,
    );
    expect(JSON.stringify([error.message, error.details])).not.toContain("secret-pw");
  });

  test("authorities that are no PEM", () => {
    expect(() => createClient({ server: "https://x", caPem: "nonsense" })).toThrow(
      expect.objectContaining({ code: "InvalidArgument" }),
    );
  });
});

test("a pinned authority, and a pinned certificate that is none, are trusted", async () => {
  const tls = await authority.issue();
  const server = await startServer((_request, response) => sendJson(response, 200, { version: "1" }), tls);
  const leaf = tls.cert.slice(0, tls.cert.indexOf("-----END CERTIFICATE-----") + 26);
  for (const caPem of [authority.pem, leaf]) {
    const client = createClient({ server: server.url, caPem });
    cleanups.push(() => client.close());
    expect(await client.version()).toEqual({ version: "1" });
  }
});

describe("giving up", () => {
  test.each(["the request's signal", "the client's signal", "closing the client"])("by %s", async (way) => {
    const asked = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const server = await startServer((_request, response) => {
      response.once("close", closed.resolve);
      asked.resolve();
    });
    const abort = new AbortController();
    const client = createClient({
      server: server.url,
      signal: way === "the client's signal" ? abort.signal : undefined,
    });
    cleanups.push(() => client.close());
    const waiting = client.get(Cluster, "prod", {
      signal: way === "the request's signal" ? abort.signal : undefined,
    });
    const outcome = waiting.catch((error: unknown) => error);
    await asked.promise;
    if (way === "closing the client") await client.close();
    else abort.abort();
    expect(await outcome).toMatchObject({ code: "Cancelled" });
    await closed.promise;
  });

  test("before it began", async () => {
    const server = await startServer((_request, response) => sendJson(response, 200, sampleCluster("prod")));
    const client = createClient({ server: server.url });
    cleanups.push(() => client.close());
    await expect(client.get(Cluster, "prod", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "Cancelled",
    });
    expect(server.requests).toEqual([]);
  });
});

test("never shows the token, whatever fails", async () => {
  const token = "bwl_s3cr3t";
  const server = await startServer((request, response) => {
    sendJson(response, 500, errorBody("Internal", "It failed."));
    void request;
  });
  for (const url of [server.url, "http://127.0.0.1:1", "https://no-such-host.invalid"]) {
    const error = await failureOf({ server: url, token });
    expect(JSON.stringify([error.message, error.details, error.stack, String(error.cause)])).not.toContain(
      token,
    );
  }
  const broken = await failureOf({ server: server.url, token: `${token}\nX: y` });
  expect(JSON.stringify([broken.message, broken.details, broken.stack])).not.toContain(token);
});
