import { statSync } from "node:fs";

import { freePort, startNats } from "@bowline/test-services";
import { describe, expect, onTestFinished, test } from "vitest";

import { TestAgent } from "@bowline/gateway/testing";
import { postgresSchemas } from "@bowline/store/testing";
import { keysFile, startReplica } from "./testing/start-replica.ts";
import { startTestServer, tempFolder } from "./testing/start-test-server.ts";

const schemas = postgresSchemas();

const cluster = {
  apiVersion: "bowline.dev/v1",
  kind: "Cluster",
  metadata: { name: "shop" },
  spec: { provider: "existing" },
};

describe("servers on one PostgreSQL", () => {
  test("have the same CA and tokens when they have the same keys, and are refused when not", async () => {
    const flags = { "--database-url": await schemas.create() };
    const first = await startReplica(flags);
    expect(first.data).toMatch(/^PostgreSQL at 127\.0\.0\.1:\d+\//u);
    const folder = await tempFolder();
    await expect(startTestServer({ "--data": folder, ...flags })).rejects.toMatchObject({
      code: "DecryptionFailed",
      message: expect.stringContaining("copy the file from a server that uses this database"),
    });
    expect(() => statSync(keysFile(folder))).toThrow("ENOENT");

    const second = await startReplica(flags, first);
    expect(second.adminToken).toBeUndefined();
    expect(second.caFingerprint).toBe(first.caFingerprint);
    expect((await second.ask(first.adminToken, "/api/v1/whoami")).status).toBe(200);
  });

  test("may share the key file by a path, which has to be there", async () => {
    const flags = { "--database-url": await schemas.create() };
    const first = await startReplica(flags);
    const second = await startReplica({ ...flags, "--encryption-keys-file": keysFile(first.folder) });
    expect(second.caFingerprint).toBe(first.caFingerprint);
    await expect(startReplica({ ...flags, "--encryption-keys-file": "/nowhere.keys" })).rejects.toThrow(
      "There is no file with encryption keys at /nowhere.keys.",
    );
  });

  test.each(["in process", "through NATS"])(
    "divide the work %s: one answers, another brings about",
    async (how) => {
      const nats = how === "in process" ? undefined : await startNats({ jetstream: true });
      if (nats !== undefined) onTestFinished(() => nats.stop());
      const flags = {
        "--database-url": await schemas.create(),
        ...(nats === undefined ? {} : { "--nats-url": nats.url }),
      };
      const api = await startReplica({ ...flags, "--role": "api" });
      const token = api.adminToken;
      expect((await api.ask(token, "/api/v1/clusters", cluster)).status).toBe(201);
      const controllers = await startReplica({ ...flags, "--role": "controllers" }, api);
      expect(controllers.adminToken).toBeUndefined();
      expect((await controllers.ask(token, "/api/v1/clusters")).status).toBe(404);
      await expect
        .poll(async () => (await controllers.ask(undefined, "/readyz?verbose=1")).body)
        .toBe(
          "[+]shutdown ok\n[+]database ok\n[+]broker ok\n[+]outbox ok\n[+]controllers ok\nreadyz check passed\n",
        );
      await expect
        .poll(async () => JSON.parse((await api.ask(token, "/api/v1/clusters/shop")).body))
        .toMatchObject({ status: { observedGeneration: 1 } });
    },
  );

  test("divide the agents too: one makes them known, another holds them", async () => {
    const flags = { "--database-url": await schemas.create() };
    const first = await startReplica({ ...flags, "--role": "api" });
    const gateway = await startReplica({ ...flags, "--role": "gateway" }, first);
    const api = await startReplica({ ...flags, "--role": "api", "--gateway-urls": gateway.url }, first);
    const token = first.adminToken;
    expect((await gateway.ask(token, "/api/v1/clusters")).status).toBe(404);
    await api.ask(token, "/api/v1/clusters", cluster);
    const joinToken = JSON.parse((await api.ask(token, "/api/v1/clusters/shop/join-tokens", {})).body);
    expect(joinToken.server).toBe(gateway.url);
    const ca = joinToken.caPem;
    await expect(new TestAgent({ url: api.url, ca }).connect()).rejects.toThrow(/no application protocol/iu);
    const agent = new TestAgent({ url: gateway.url, ca });
    await agent.join(joinToken.token);
    const session = await agent.open();
    const reason = async (): Promise<string> => {
      const { status } = JSON.parse((await api.ask(token, "/api/v1/clusters/shop")).body);
      return status.conditions.find(({ type }: { type: string }) => type === "AgentConnected")?.reason;
    };
    await expect.poll(reason).toBe("Connected");
    expect((await gateway.ask(token, "/clusters/shop/api/v1/pods")).status).toBe(403);
    expect((await api.ask(token, "/api/v1/clusters/shop/revoke-agents", {})).status).toBe(200);
    expect(await session.ended).toMatchObject({ code: "Forbidden" });
    await expect.poll(reason).toBe("Revoked");
  });

  test("are not ready while NATS cannot be reached, and answer all the same", async () => {
    const nats = `nats://127.0.0.1:${await freePort()}`;
    const server = await startReplica({ "--database-url": await schemas.create(), "--nats-url": nats });
    const { status, body } = await server.ask(undefined, "/readyz");
    expect(status).toBe(503);
    expect(body).toContain("[-]broker failed");
    expect((await server.ask(server.adminToken, "/api/v1/clusters", cluster)).status).toBe(201);
  });

  test("says what is wrong with a login", async () => {
    const url = new URL(await schemas.create());
    url.password = "s3cret";
    const flags = { "--data": await tempFolder(), "--database-url": url.href };
    await expect(startTestServer(flags)).rejects.toThrow(
      /^PostgreSQL at \S+ does not accept the user or the password of --database-url\.$/u,
    );
  });
});
