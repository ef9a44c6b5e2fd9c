import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request } from "node:https";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";

import type { AcceptStream } from "@bowline/protocol";
import { describe, expect, onTestFinished, test } from "vitest";

import { NatsUnderTest } from "../broker/testing/nats-under-test.ts";
import { TestAgent, type TestSession } from "@bowline/gateway/testing";
import { postgresSchemas } from "@bowline/store/testing";
import { certificateNames } from "@bowline/tls";
import { issueServingCertificate, makeAuthority } from "@bowline/tls/issue";
import { startReplica, type Replica } from "./testing/start-replica.ts";
import { tempFolder } from "./testing/start-test-server.ts";

const schemas = postgresSchemas();

const grant = {
  metadata: { name: "all" },
  spec: {
    subjects: [{ user: "admin" }],
    clusters: { names: ["shop"] },
    kubernetes: { groups: ["system:masters"] },
  },
};

/** Sends back what it gets, and how it was asked; upgraded connections too. */
const echo: AcceptStream = (stream, { path, upgrade }) => {
  const headers = upgrade === undefined ? ["x-path", path] : ["upgrade", upgrade];
  stream.sendHeaders({ status: upgrade === undefined ? 200 : 101, headers });
  return {
    data: (chunk) => stream.write(chunk),
    end: () => stream.end(),
    drain: () => stream.resume(),
    error: () => {},
  };
};

/** A Cluster that the admin of the server may use, and its agent, which has joined there. */
async function joinShop(server: Replica, holder: Replica): Promise<TestAgent> {
  const token = server.adminToken;
  await server.ask(token, "/api/v1/clusters", { metadata: { name: "shop" }, spec: {} });
  await server.ask(token, "/api/v1/accessgrants", grant);
  const made = await server.ask(token, "/api/v1/clusters/shop/join-tokens", {});
  const agent = new TestAgent(holder);
  await agent.join(JSON.parse(made.body).token);
  return agent;
}

async function connect(agent: TestAgent, holder: Replica): Promise<TestSession> {
  const session = await agent.openAt(holder);
  await session.openTunnel(echo);
  return session;
}

/** A connection that has changed its protocol. */
async function upgrade({ url, ca }: Replica, token: string | undefined): Promise<Socket> {
  const headers = { authorization: `Bearer ${token}`, connection: "Upgrade", upgrade: "echo" };
  const sent = request(`${url}/clusters/shop/api`, { ca, agent: false, headers }).end();
  onTestFinished(() => void sent.destroy());
  const [, socket] = (await once(sent, "upgrade")) as [IncomingMessage, Socket];
  return socket;
}

describe("servers on one PostgreSQL", () => {
  test("reach the agents of each other, with NATS and without", async () => {
    const nats = await NatsUnderTest.create();
    await nats.start();
    const flags = { "--database-url": await schemas.create(), "--nats-url": nats.url };
    const one = await startReplica(flags);
    const two = await startReplica(flags, one);
    const token = one.adminToken;
    const agent = await joinShop(one, two);
    const reached = async (server: Replica): Promise<number> =>
      (await server.ask(token, "/clusters/shop/api")).status;
    expect(await reached(one)).toBe(503);

    const session = await connect(agent, two);
    await expect.poll(() => reached(one)).toBe(200);
    const body = "x".repeat(3_000_000);
    const posted = await one.ask(token, "/clusters/shop/api/v1/namespaces/a/configmaps", body);
    expect(posted.headers["x-path"]).toBe("/api/v1/namespaces/a/configmaps");
    expect(posted.body).toBe(JSON.stringify(body));

    const socket = await upgrade(one, token);
    socket.write("hello");
    expect(String(await once(socket, "data"))).toBe("hello");

    await nats.kill();
    // Requests under way go on, and new ones begin: the database knows the way.
    socket.write("still there");
    expect(String(await once(socket, "data"))).toBe("still there");
    await connect(agent, one);
    const closed = once(socket, "close");
    session.leave();
    await closed;
    await expect.poll(() => reached(two)).toBe(200);
  });

  test("reach them from the role api too, whatever certificate those who hold them show to clients", async () => {
    const flags = { "--database-url": await schemas.create() };
    const api = await startReplica({ ...flags, "--role": "api" });
    const { ca, ...certificate } = await givenCertificate();
    const gateway = await startReplica({ ...flags, "--role": "gateway", ...certificate }, api, ca);
    const agent = await joinShop(api, gateway);
    const offline = await api.ask(api.adminToken, "/clusters/shop/api");
    expect([offline.status, JSON.parse(offline.body).reason]).toEqual([503, "AgentOffline"]);
    await connect(agent, gateway);
    await expect.poll(async () => (await api.ask(api.adminToken, "/clusters/shop/api")).status).toBe(200);
  });
});

async function givenCertificate() {
  const nowMs = Date.now();
  const authority = await makeAuthority(nowMs);
  const names = certificateNames(["127.0.0.1"]);
  const { cert, key } = await issueServingCertificate(authority, { names, nowMs });
  const folder = await tempFolder();
  const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  return { ca: authority.cert, "--tls-cert-file": certFile, "--tls-key-file": keyFile };
}
