import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from "node:tls";

import type { Cluster } from "@bowline/api";
import { agentManifest, printManifest } from "@bowline/api/agent-manifest";
import type { TunnelStream } from "@bowline/protocol";
import { describe, expect, onTestFinished, test } from "vitest";

import { TestAgent } from "@bowline/gateway/testing";
import { makeAuthority } from "@bowline/tls/issue";
import { send, type RequestOptions } from "./testing/https-request.ts";
import { startTestServer, tempFolder } from "./testing/start-test-server.ts";

async function startWithTls(flags: Record<string, string> = {}) {
  const server = await startTestServer({ "--data": await tempFolder(), ...flags });
  const ca = readFileSync(server.caFile ?? "", "utf8");
  const { url, adminToken: token = "" } = server;
  const ask = async (path: string, options: RequestOptions = {}) => {
    const { status, body } = await send(`${url}${path}`, { ca, token, ...options });
    return { status, body: body === "" ? undefined : JSON.parse(body) };
  };
  return { server, endpoint: { url, ca }, ask };
}

async function createCluster(ask: Awaited<ReturnType<typeof startWithTls>>["ask"], name: string) {
  const { status } = await ask("/api/v1/clusters", {
    method: "POST",
    body: { metadata: { name }, spec: {} },
  });
  expect(status).toBe(201);
}

/** Lets the admin of the first start do everything in the cluster. */
const grant = {
  metadata: { name: "all" },
  spec: {
    subjects: [{ user: "admin" }],
    clusters: { names: ["edge"] },
    kubernetes: { groups: ["system:masters"] },
  },
};

describe("one port", () => {
  async function protocolFor(offered: ConnectionOptions["ALPNProtocols"]): Promise<string | false | null> {
    const { endpoint } = await startWithTls();
    const { hostname, port } = new URL(endpoint.url);
    const options = { host: hostname, port: Number(port), ca: endpoint.ca };
    const socket = connectTls({ ...options, ...(offered === undefined ? {} : { ALPNProtocols: offered }) });
    onTestFinished(() => void socket.destroy());
    await once(socket, "secureConnect");
    return socket.alpnProtocol;
  }

  test.each([
    [["http/1.1"], "http/1.1"],
    [["h2", "http/1.1"], "http/1.1"],
    [undefined, false],
    [["h2"], "h2"],
  ])("gives a client that offers %s the protocol %s", async (offered, protocol) => {
    expect(await protocolFor(offered)).toBe(protocol);
  });

  test("refuses what nobody speaks", async () => {
    await expect(protocolFor(["spdy/3"])).rejects.toThrow(/no application protocol/iu);
  });

  test("answers a client without ALPN like any other", async () => {
    const { endpoint } = await startWithTls();
    const { hostname, port } = new URL(endpoint.url);
    const socket: TLSSocket = connectTls({ host: hostname, port: Number(port), ca: endpoint.ca });
    onTestFinished(() => void socket.destroy());
    socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const [answer] = await once(socket, "data");
    expect(String(answer)).toContain("200 OK");
  });
});

describe("agents", () => {
  test("join with a token of the API, and make their Cluster ready", async () => {
    const { server, endpoint, ask } = await startWithTls();
    await createCluster(ask, "edge");
    const made = await ask("/api/v1/clusters/edge/join-tokens", { method: "POST" });
    expect(made).toMatchObject({
      status: 201,
      body: { server: endpoint.url, caPem: endpoint.ca, caFingerprint: server.caFingerprint },
    });
    const agent = new TestAgent(endpoint);
    await agent.join(made.body.token);
    const session = await agent.open();
    const clusterNow = async (): Promise<Cluster> => (await ask("/api/v1/clusters/edge")).body;
    const ready = async () =>
      (await clusterNow()).status.conditions.find(({ type }) => type === "Ready")?.status;
    await expect.poll(ready).toBe("True");

    const revoked = await ask("/api/v1/clusters/edge/revoke-agents", { method: "POST" });
    expect(revoked).toEqual({ status: 200, body: { keys: 1, joinTokens: 0 } });
    expect(await session.ended).toMatchObject({ code: "Forbidden" });
    await expect.poll(ready).toBe("False");
    expect(JSON.stringify(server.logged)).not.toContain(made.body.token);
    await expect
      .poll(async () => (await ask("/api/v1/audit")).body.items)
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({ verb: "create", kind: "JoinToken", name: "edge", outcome: "allowed" }),
          expect.objectContaining({ verb: "join", kind: "Cluster", name: "edge", outcome: "allowed" }),
          expect.objectContaining({ verb: "revoke", kind: "Cluster", name: "edge", outcome: "allowed" }),
        ]),
      );
  });

  test("carry requests to their cluster", async () => {
    const { endpoint, ask } = await startWithTls();
    await createCluster(ask, "edge");
    expect((await ask("/api/v1/accessgrants", { method: "POST", body: grant })).status).toBe(201);
    const offline = await ask("/clusters/edge/api/v1/pods");
    expect(offline).toMatchObject({ status: 503, body: { kind: "Status" } });
    const agent = new TestAgent(endpoint);
    await agent.join((await ask("/api/v1/clusters/edge/join-tokens", { method: "POST" })).body.token);
    const session = await agent.open();
    await session.openTunnel((stream, { path }) => {
      stream.sendHeaders({ status: 200, headers: ["content-type", "application/json"] });
      stream.write(Buffer.from(JSON.stringify({ path })));
      stream.end();
      return { data: () => true, end: () => {}, error: () => {} };
    });
    expect(await ask("/clusters/edge/api/v1/pods")).toEqual({ status: 200, body: { path: "/api/v1/pods" } });
  });

  test("that do not trust the server are seen in the audit", async () => {
    const { endpoint, ask } = await startWithTls();
    const { cert: ca } = await makeAuthority(Date.now());
    await expect(new TestAgent(endpoint).connect({ ...endpoint, ca })).rejects.toThrow(/self-signed|issuer/u);
    await expect
      .poll(async () => (await ask("/api/v1/audit?verb=connect")).body.items)
      .toMatchObject([{ outcome: "failed", message: expect.stringContaining("may not trust the CA") }]);
  });

  test("are told where to go by what is configured", async () => {
    const urls = "https://a.example.com,https://b.example.com:7443";
    const { ask } = await startWithTls({ "--gateway-urls": urls });
    await createCluster(ask, "edge");
    const made = await ask("/api/v1/clusters/edge/join-tokens", {
      method: "POST",
      body: { expiresInSeconds: 120 },
    });
    expect(made.body.server).toBe("https://a.example.com");
    expect(Date.parse(made.body.expiresAt) - Date.now()).toBeLessThanOrEqual(120_000);
    const wrong = { method: "POST", body: { expiresInSeconds: 5 } };
    expect(await ask("/api/v1/clusters/edge/join-tokens", wrong)).toMatchObject({ status: 422 });
    expect(await ask("/api/v1/clusters/other/join-tokens", { method: "POST" })).toMatchObject({
      status: 404,
    });
  });

  test("are described by the manifest that runs them, with the token in it, for whom it is asked for", async () => {
    const { ask } = await startWithTls();
    await createCluster(ask, "edge");
    const make = (manifest: object) =>
      ask("/api/v1/clusters/edge/join-tokens", { method: "POST", body: { manifest } });
    const { status, body } = await make({ rights: "observe", namespace: "agents", image: "example.com/a:1" });
    expect(status).toBe(201);
    const expected = agentManifest({
      cluster: "edge",
      namespace: "agents",
      image: "example.com/a:1",
      rights: "observe",
      joinToken: body.token,
    });
    expect(body.manifest).toBe(printManifest(expected, "yaml"));
    const plain = (await make({})).body;
    expect(plain.manifest).toContain("namespace: bowline-system");
    expect(plain.manifest).toContain(`token: ${plain.token}`);
    expect(plain.token).not.toBe(body.token);
    expect(await make({ rights: "all" })).toMatchObject({ status: 422 });
    expect(await make({ image: "a b" })).toMatchObject({ status: 422 });
  });

  test("are not taken without TLS", async () => {
    const server = await startTestServer({ "--data": await tempFolder(), "--tls": "off" });
    const token = server.adminToken ?? "";
    const body = { metadata: { name: "edge" }, spec: {} };
    await send(`${server.url}/api/v1/clusters`, { token, method: "POST", body });
    const refused = await send(`${server.url}/api/v1/clusters/edge/join-tokens`, { token, method: "POST" });
    expect([refused.status, refused.body]).toEqual([409, expect.stringContaining("speaks no TLS")]);
    expect(server.logged.join()).toContain("No agent can connect");
  });

  test("finish what is under way when the server stops", async () => {
    const { server, endpoint, ask } = await startWithTls({ "--drain-time": "10s" });
    await createCluster(ask, "edge");
    await ask("/api/v1/accessgrants", { method: "POST", body: grant });
    const agent = new TestAgent(endpoint);
    await agent.join((await ask("/api/v1/clusters/edge/join-tokens", { method: "POST" })).body.token);
    const session = await agent.open();
    const asked = Promise.withResolvers<TunnelStream>();
    await session.openTunnel((stream) => {
      asked.resolve(stream);
      return { data: () => true, end: () => {}, error: () => {} };
    });
    const answer = ask("/clusters/edge/api/v1/pods");
    const stream = await asked.promise;
    const closed = server.close();
    while ((await session.next()).case !== "draining");
    stream.sendHeaders({ status: 200, headers: ["content-type", "application/json"] });
    stream.write(Buffer.from("{}"));
    stream.end();
    expect(await answer).toEqual({ status: 200, body: {} });
    await closed;
    expect(await session.ended).toMatchObject({ code: "TunnelDraining" });
  });

  test("do not keep the server from stopping", async () => {
    const { server, endpoint, ask } = await startWithTls({ "--drain-time": "5s" });
    await createCluster(ask, "edge");
    const agent = new TestAgent(endpoint);
    await agent.join((await ask("/api/v1/clusters/edge/join-tokens", { method: "POST" })).body.token);
    const session = await agent.open();
    await session.openTunnel(() => ({ data: () => true, end: () => {}, error: () => {} }));
    await server.close();
    expect(await session.ended).toMatchObject({ code: "TunnelDraining" });
    await expect(server.ended).resolves.toBeUndefined();
  });
});
