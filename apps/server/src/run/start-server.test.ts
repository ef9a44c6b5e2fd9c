import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { Agent, request, type ClientRequest, type IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { BowlineError, systemClock } from "@bowline/core";
import { freePort } from "@bowline/test-services";
import { describe, expect, onTestFinished, test } from "vitest";

import { Migrator, openEngine } from "@bowline/store";
import { send } from "./testing/https-request.ts";
import { startTestServer, tempFolder } from "./testing/start-test-server.ts";

describe("a first start", () => {
  test("makes everything it needs, and answers to those who trust its CA and show the token", async () => {
    const data = await tempFolder();
    const server = await startTestServer({ "--data": data });
    expect(server.adminTokenFile).toBe(join(data, "admin.token"));
    expect(readFileSync(server.adminTokenFile, "utf8").trim()).toBe(server.adminToken);
    for (const secret of ["admin.token", "encryption.keys", "bowline.db", "tls/server.pem"]) {
      expect([secret, statSync(join(data, secret)).mode & 0o777]).toEqual([secret, 0o600]);
    }
    const ca = readFileSync(server.caFile ?? "", "utf8");
    const { adminToken: token = "" } = server;
    const answer = await send(`${server.url}/api/v1/clusters`, { ca, token });
    expect(answer.status).toBe(200);
    expect((await send(`${server.url}/api/v1/clusters`, { ca })).status).toBe(401);
    await expect(send(`${server.url}/api/v1/clusters`, { token })).rejects.toThrow(/self-signed/u);
    expect(server.logged.join()).not.toContain(token);
  });

  test("is over when it has been: the next one has the same token and CA, and shows no token", async () => {
    const data = await tempFolder();
    const first = await startTestServer({ "--data": data });
    await first.close();
    await expect(first.ended).resolves.toBeUndefined();
    const second = await startTestServer({ "--data": data });
    expect(second.adminToken).toBeUndefined();
    expect(second.caFingerprint).toBe(first.caFingerprint);
    const ca = readFileSync(second.caFile ?? "", "utf8");
    const answer = await send(`${second.url}/api/v1/users`, { ca, token: first.adminToken ?? "" });
    expect(answer.status).toBe(200);
  });

  test("goes without TLS on this machine when it is told to", async () => {
    const server = await startTestServer({ "--data": await tempFolder(), "--tls": "off" });
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
    expect(server.caFingerprint).toBeUndefined();
    const answer = await send(`${server.url}/api/v1/clusters`, { token: server.adminToken ?? "" });
    expect(answer.status).toBe(200);
  });
});

describe("a start says in a sentence what is in its way, and leaves nothing open", () => {
  test("another server on the same folder", async () => {
    const data = await tempFolder();
    const first = await startTestServer({ "--data": data });
    await expect(startTestServer({ "--data": data })).rejects.toMatchObject({ code: "DataFolderLocked" });
    const ca = readFileSync(first.caFile ?? "", "utf8");
    expect((await send(`${first.url}/api/v1/clusters`, { ca, token: first.adminToken ?? "" })).status).toBe(
      200,
    );
  });

  test("a port that is taken", async () => {
    const data = await tempFolder();
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === "object" ? address?.port : undefined;
    await expect(startTestServer({ "--data": data, "--listen": `127.0.0.1:${port}` })).rejects.toThrow(
      `The server cannot listen on 127.0.0.1:${port}: another program listens there; stop it, or choose another address with --listen.`,
    );
    // The data folder is free again.
    await startTestServer({ "--data": data });
  });

  test("a data folder it cannot write in", async () => {
    await expect(startTestServer({ "--data": "/dev/null/bowline" })).rejects.toThrow(
      "The server cannot write in its data folder /dev/null/bowline; give it one that its user owns with --data or BOWLINE_DATA.",
    );
  });

  test("keys that are not those of the database", async () => {
    const data = await tempFolder();
    await (await startTestServer({ "--data": data })).close();
    const file = join(data, "encryption.keys");
    const right = readFileSync(file);
    writeFileSync(file, `other:${randomBytes(32).toString("base64")}\n`);
    const failure = {
      code: "DecryptionFailed",
      message: expect.stringContaining(`those in ${file}; copy the file`),
    };
    await expect(startTestServer({ "--data": data })).rejects.toMatchObject(failure);
    rmSync(file);
    await expect(startTestServer({ "--data": data })).rejects.toMatchObject(failure);
    // A key that was made for nothing does not stay behind.
    expect(() => statSync(file)).toThrow("ENOENT");
    writeFileSync(file, right);
    await startTestServer({ "--data": data });
  });

  test("a database of a newer version", async () => {
    const data = await tempFolder();
    const engine = openEngine({ type: "sqlite", file: join(data, "bowline.db") }, systemClock);
    const future = { name: "9999-future", up: () => [], down: () => [] };
    await new Migrator(engine, Date.now, [future]).up();
    await engine.close();
    await expect(startTestServer({ "--data": data })).rejects.toThrow(/made by a newer version of Bowline/u);
  });

  test("a certificate that is none", async () => {
    const data = await tempFolder();
    const [cert, key] = [join(data, "a.crt"), join(data, "a.key")];
    for (const file of [cert, key]) writeFileSync(file, "nonsense");
    const flags = { "--data": data, "--tls-cert-file": cert, "--tls-key-file": key };
    await expect(startTestServer(flags)).rejects.toThrow(`${cert} holds no certificate in PEM form`);
  });

  test("a clock that nobody has set", async () => {
    const clock = { ...systemClock, now: () => 0 };
    await expect(startTestServer({ "--data": await tempFolder() }, { clock })).rejects.toThrow(
      /^The clock of this machine says that it is 1970-01-01/u,
    );
  });

  test("a database that cannot be reached, after a while in which it says so", async () => {
    const url = `postgres://bowline:s3cret@127.0.0.1:${await freePort()}/bowline`;
    const logged: string[] = [];
    const flags = { "--data": await tempFolder(), "--database-url": url, "--database-wait": "1m" };
    // Time passes only while it waits.
    let passedMs = 0;
    const clock = {
      ...systemClock,
      monotonicMs: () => passedMs,
      sleep: async (ms: number, signal?: AbortSignal) => {
        passedMs += ms;
        await systemClock.sleep(1, signal);
      },
    };
    await expect(startTestServer(flags, { logged, clock })).rejects.toThrow(
      /^PostgreSQL at 127\.0\.0\.1:\d+\/bowline cannot be reached \(ECONNREFUSED\); start it/u,
    );
    expect(logged.filter((line) => line.includes("Waiting for the database")).length).toBeGreaterThan(0);
    expect(logged.join()).not.toContain("s3cret");
  });

  test("being told to stop while it waits for the database", async () => {
    const stop = new AbortController();
    const logged: string[] = [];
    const flags = {
      "--data": await tempFolder(),
      "--database-url": `postgres://127.0.0.1:${await freePort()}/bowline`,
      "--database-wait": "1h",
    };
    const clock = {
      ...systemClock,
      sleep(ms: number, signal?: AbortSignal) {
        stop.abort(new BowlineError("Cancelled", "Interrupted."));
        return systemClock.sleep(ms, signal);
      },
    };
    const starting = startTestServer(flags, { logged, signal: stop.signal, clock });
    await expect(starting).rejects.toMatchObject({ code: "Cancelled" });
  });
});

describe("a stop", () => {
  test("ends each connection with the answer it waits for, and those that wait for nothing at once", async () => {
    const server = await startTestServer({
      "--data": await tempFolder(),
      "--tls": "off",
      "--drain-time": "1h",
    });
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const headers = { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" };
    const open = (method: string): ClientRequest =>
      request(`${server.url}/api/v1/clusters`, { method, headers, agent });
    const creating = open("POST");
    creating.write('{"apiVersion":"bowline.dev/v1","kind":"Cluster",');
    const listing = open("GET").end();
    const [list] = (await once(listing, "response")) as [IncomingMessage];
    expect(list.headers.connection).toBe("keep-alive");
    await text(list);

    const closing = server.close();
    creating.end('"metadata":{"name":"shop"},"spec":{"provider":"existing"}}');
    const [created] = (await once(creating, "response")) as [IncomingMessage];
    expect([created.statusCode, created.headers.connection]).toEqual([201, "close"]);
    await closing;
    expect(server.logged.join()).not.toContain("cut");
  });

  test("makes it not ready at once, and goes on answering for the delay", async () => {
    const [began, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const delayMs = 599_000;
    const clock = {
      ...systemClock,
      sleep(ms: number, signal?: AbortSignal) {
        if (ms !== delayMs) return systemClock.sleep(ms, signal);
        began.resolve();
        return isOver.promise;
      },
    };
    const flags = { "--data": await tempFolder(), "--tls": "off", "--drain-delay": `${delayMs}ms` };
    const server = await startTestServer(flags, { clock });
    const { adminToken: token = "" } = server;
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const kept = async (): Promise<string | undefined> => {
      const [answer] = (await once(request(`${server.url}/healthz`, { agent }).end(), "response")) as [
        IncomingMessage,
      ];
      await text(answer);
      return answer.headers.connection;
    };
    expect(await kept()).toBe("keep-alive");
    expect(await send(`${server.url}/readyz`)).toMatchObject({ status: 200, body: "ok\n" });
    const closing = server.close();
    await began.promise;
    const notReady = await send(`${server.url}/readyz`);
    expect(notReady.status).toBe(503);
    expect(notReady.body).toContain("[-]shutdown failed: the server is stopping");
    expect(notReady.body).toContain("[+]database ok");
    expect((await send(`${server.url}/healthz`)).status).toBe(200);
    expect((await send(`${server.url}/api/v1/clusters`, { token })).status).toBe(200);
    // Whoever asked before and asks again is told to ask elsewhere, long before the connection is closed.
    expect(await kept()).toBe("close");
    isOver.resolve();
    await closing;
    await expect(send(`${server.url}/readyz`)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("that is asked for twice is one", async () => {
    const server = await startTestServer({ "--data": await tempFolder() });
    await Promise.all([server.close(), server.close()]);
    await server.ended;
    expect(server.logged.filter((line) => line.includes('"Stopped"'))).toHaveLength(1);
  });
});

test("metrics are for those with a token, unless they are for anybody", async () => {
  const closed = await startTestServer({ "--data": await tempFolder(), "--tls": "off" });
  expect((await send(`${closed.url}/metrics`)).status).toBe(401);
  const shown = await send(`${closed.url}/metrics`, { token: closed.adminToken ?? "" });
  expect(shown.body).toContain('bowline_build_info{version="1.2.3"');
  const flags = { "--data": await tempFolder(), "--tls": "off", "--metrics-access": "anybody" };
  expect((await send(`${(await startTestServer(flags)).url}/metrics`)).status).toBe(200);
});

test("a server whose folder was copied to another machine answers with the same CA", async () => {
  const [data, copy] = [await tempFolder(), join(await tempFolder(), "copy")];
  const first = await startTestServer({ "--data": data });
  await first.close();
  cpSync(data, copy, { recursive: true });
  const second = await startTestServer({ "--data": copy, "--tls-names": "bowline.example.com" });
  expect(second.caFingerprint).toBe(first.caFingerprint);
  const ca = readFileSync(second.caFile ?? "", "utf8");
  expect((await send(`${second.url}/api/v1/clusters`, { ca, token: first.adminToken ?? "" })).status).toBe(
    200,
  );
});
