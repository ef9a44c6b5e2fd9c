import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { BowlineError } from "@bowline/core";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { KubeClient } from "../client/kube-client.ts";
import { resources } from "../client/resources.ts";
import type { ClusterConnection } from "../config/cluster-connection.ts";
import { TestAuthority, type TestCertificate } from "@bowline/test-services/certificates";
import { sendJson, testConnection, TestServer } from "../testing/test-server.ts";
import { connect, type ConnectOptions } from "./connect.ts";
import { isBrokenConnection } from "./connection-error.ts";

let authority: TestAuthority;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  authority = await TestAuthority.create();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** The error for a user who asks for a pod over this connection. */
async function failureOf(connection: ClusterConnection, options: ConnectOptions = {}): Promise<BowlineError> {
  try {
    const transport = connect(connection, options);
    cleanups.push(() => transport.close());
    await new KubeClient(transport).get(resources.pods, { namespace: "shop", name: "web" });
  } catch (error) {
    if (error instanceof BowlineError) return error;
    throw error;
  }
  throw new Error("The request should have failed.");
}

async function tlsServer(certificate: TestCertificate): Promise<TestServer> {
  const server = await TestServer.start((_request, response) => sendJson(response, 200, {}), {
    tls: certificate,
  });
  cleanups.push(() => server.close());
  return server;
}

async function rawServer(onConnection: (server: Server) => void): Promise<string> {
  const server = createServer();
  onConnection(server);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("each failure on the way is one sentence that says where and what to check", () => {
  it("nobody listens", async () => {
    const address = await rawServer(() => undefined);
    await cleanups.pop()?.();
    const error = await failureOf(testConnection(`http://${address}`));
    expect(error.code).toBe("ConnectionFailed");
    expect(error.message).toBe(
      `Nothing accepts connections at ${address}; check that the API server runs and that URL and port are right.`,
    );
    expect(error.retryable).toBe(true);
  });

  it("an unknown host name", async () => {
    const error = await failureOf(testConnection("https://no-such-host.invalid:6443"));
    expect(error.code).toBe("ConnectionFailed");
    expect(error.message).toBe(
      "The host name of no-such-host.invalid:6443 cannot be resolved; check the server URL and DNS.",
    );
  });

  it("an expired certificate", async () => {
    const certificate = await authority.issue({ commonName: "api", notAfter: new Date(Date.now() - 60_000) });
    const server = await tlsServer(certificate);
    const error = await failureOf(testConnection(server.url, { ca: { pem: authority.cert } }));
    expect(error.code).toBe("CertificateExpired");
    expect(error.message).toBe(
      `The certificate of 127.0.0.1:${server.port} has expired; renew it, or correct the clock of this machine.`,
    );
  });

  it("a wrong CA", async () => {
    const server = await tlsServer(await authority.issue({ commonName: "api" }));
    const other = await TestAuthority.create("other-ca");
    const error = await failureOf(testConnection(server.url, { ca: { pem: other.cert } }));
    expect(error.code).toBe("CertificateUntrusted");
    expect(error.message).toBe(
      `The certificate of 127.0.0.1:${server.port} is not signed by an authority this client trusts; ` +
        "set certificate-authority to the CA of the cluster.",
    );
  });

  it("no CA at all for a cluster of one's own", async () => {
    const server = await tlsServer(await authority.issue({ commonName: "api" }));
    expect((await failureOf(testConnection(server.url))).code).toBe("CertificateUntrusted");
  });

  it("a certificate for another host, which tls-server-name can mend", async () => {
    const server = await tlsServer(await authority.issue({ commonName: "api", hosts: ["api.example"] }));
    const connection = testConnection(server.url, { ca: { pem: authority.cert } });
    const error = await failureOf(connection);
    expect(error.code).toBe("CertificateUntrusted");
    expect(error.message).toContain("is for another host name");
    const transport = connect({ ...connection, tlsServerName: "api.example" });
    cleanups.push(() => transport.close());
    expect((await transport.request({ method: "GET", path: "/" })).status).toBe(200);
  });

  it("insecure-skip-tls-verify lets an unknown certificate pass", async () => {
    const server = await tlsServer(await authority.issue({ commonName: "api" }));
    const transport = connect(testConnection(server.url, { insecureSkipVerify: true }));
    cleanups.push(() => transport.close());
    expect((await transport.request({ method: "GET", path: "/" })).status).toBe(200);
  });

  it("a certificate and a key that do not belong together", async () => {
    const [one, two] = await Promise.all([
      authority.issue({ commonName: "one" }),
      authority.issue({ commonName: "two" }),
    ]);
    const error = await failureOf(
      testConnection("https://127.0.0.1:1", {
        clientCertificate: { cert: { pem: one.cert }, key: { pem: two.key } },
      }),
    );
    expect(error.code).toBe("KubeconfigInvalid");
  });

  it("https:// to a server that speaks plain HTTP", async () => {
    const server = await TestServer.start((_request, response) => sendJson(response, 200, {}));
    cleanups.push(() => server.close());
    const error = await failureOf(testConnection(server.url.replace("http:", "https:")));
    expect(error.code).toBe("NotKubernetes");
    expect(error.message).toContain("does not answer in TLS");
  });

  it("a server that speaks something else", async () => {
    const address = await rawServer((server) => {
      server.on("connection", (socket) => {
        socket.on("error", () => undefined).once("data", () => socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
      });
    });
    expect((await failureOf(testConnection(`http://${address}`))).code).toBe("NotKubernetes");
  });

  it("a server that takes the connection and says nothing", async () => {
    const address = await rawServer((server) => {
      server.on("connection", (socket) => socket.on("error", () => undefined).resume());
    });
    const error = await failureOf(testConnection(`https://${address}`), { connectTimeoutMs: 100 });
    expect(error.code).toBe("ConnectionFailed");
    expect(error.message).toContain(`No connection to ${address}`);
  });

  it("does not keep a cancelled request waiting for it", async () => {
    const accepted = Promise.withResolvers<void>();
    const address = await rawServer((server) => {
      server.on("connection", (socket) => {
        socket.on("error", () => undefined).resume();
        accepted.resolve();
      });
    });
    const transport = connect(testConnection(`https://${address}`));
    cleanups.push(() => transport.close());
    const abort = new AbortController();
    const waiting = transport.request({ method: "GET", path: "/", signal: abort.signal });
    await accepted.promise;
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: "Cancelled" });
  });

  it("a server that answers HTML", async () => {
    const server = await TestServer.start((_request, response) => {
      response
        .writeHead(200, { "content-type": "text/html; charset=utf-8" })
        .end("<!doctype html><title>Login</title>");
    });
    cleanups.push(() => server.close());
    const error = await failureOf(testConnection(server.url));
    expect(error.code).toBe("NotKubernetes");
    expect(error.message).toBe(
      `${server.url} answered 200 with text/html instead of Kubernetes JSON; ` +
        "check the server URL, and whether a proxy, a login page or a load balancer answers in its place.",
    );
  });
});

it("never shows a token, whatever fails", async () => {
  const server = await TestServer.start((request) => request.socket.destroy());
  cleanups.push(() => server.close());
  const secret = "s3cr3t-token-value";
  for (const url of [server.url, "http://127.0.0.1:1", "https://no-such-host.invalid"]) {
    const error = await failureOf(testConnection(url, { auth: { type: "token", token: secret } }));
    const shown = JSON.stringify([error.message, error.details, error.stack, String(error.cause)]);
    expect(shown).not.toContain(secret);
  }
  const broken = await failureOf(
    testConnection(server.url, { auth: { type: "token", token: `${secret}\nX: y` } }),
  );
  expect(JSON.stringify([broken.message, broken.details, broken.stack])).not.toContain(secret);
});

it("knows a broken connection from other failures", () => {
  const failure = (errno: string): BowlineError =>
    new BowlineError("ConnectionFailed", "x", { cause: Object.assign(new Error("x"), { code: errno }) });
  expect(isBrokenConnection(failure("ECONNRESET"))).toBe(true);
  expect(isBrokenConnection(failure("ECONNREFUSED"))).toBe(false);
  expect(isBrokenConnection(new Error("x"))).toBe(false);
});
