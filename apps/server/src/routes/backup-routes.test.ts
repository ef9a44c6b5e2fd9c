import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";

import { createLogger } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { openTestAccess } from "@bowline/auth/testing";
import { verifyBackup, type Store } from "@bowline/store";
import { createTempFolder } from "@bowline/test-services";
import type { FastifyInstance } from "fastify";
import { expect, onTestFinished, test } from "vitest";

import { createHttpApi } from "../api/http-api.ts";
import { backupRoutes } from "./backup-routes.ts";

async function open(backup?: Store["backup"]) {
  const folder = await createTempFolder("backup-routes");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const database = { type: "sqlite", file: join(folder.path, "bowline.db") } as const;
  const { store, access, createUser, createToken } = await openTestAccess({ database });
  const addUser = async (user: string, role: "admin" | "editor"): Promise<string> => {
    await createUser(user, { role });
    return createToken(user, { user });
  };
  const clock = new ManualClock();
  const logger = createLogger({ name: "test", level: "silent", destination: { write: () => undefined } });
  const plugins = [
    backupRoutes({
      store: { ...store, ...(backup && { backup }) },
      clock,
      version: "1.2.3",
      maxBackups: 1,
      maxStallMs: 1_000,
    }),
  ];
  const app = await createHttpApi({ store, access, logger, plugins });
  onTestFinished(() => app.close());
  const messages = async (): Promise<unknown[]> =>
    (await store.audit.list({ kind: "Backup" })).items.map(({ message }) => message);
  return { app, clock, store, addUser, messages };
}

const get = (app: FastifyInstance, secret: string, query = "") =>
  app.inject({
    method: "POST",
    url: `/api/v1/backup${query}`,
    headers: { authorization: `Bearer ${secret}` },
  });

test("an admin gets a whole backup, and both its beginning and its end are in the audit log", async () => {
  const { app, addUser, messages } = await open();
  const admin = await addUser("boss", "admin");
  const answer = await get(app, admin);
  expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "application/gzip"]);
  const { header, trailer } = await verifyBackup(Readable.from([answer.rawPayload]));
  expect(header).toMatchObject({ version: "1.2.3", history: true });
  expect(trailer.rows["objects"]).toBeGreaterThan(0);
  await expect
    .poll(messages)
    .toEqual([expect.stringMatching(/^A backup of \d+ rows is complete\.$/u), "A backup has begun."]);
  const small = await get(app, admin, "?noHistory=true");
  expect((await verifyBackup(Readable.from([small.rawPayload]))).header.history).toBe(false);
});

test("nobody else gets one", async () => {
  const { app, store, addUser } = await open();
  const answer = await get(app, await addUser("eve", "editor"));
  expect(answer.statusCode).toBe(403);
  expect(answer.json().error.message).toContain(
    'you are "eve" with the role editor, and it takes the role admin',
  );
  expect((await app.inject({ method: "POST", url: "/api/v1/backup" })).statusCode).toBe(401);
  await expect
    .poll(async () => (await store.audit.list({ outcome: "denied" })).items)
    .toMatchObject([{ actor: {} }, { actor: { user: "eve" } }]);
  expect((await get(app, await addUser("boss", "admin"), "?x=1")).statusCode).toBe(400);
});

test("a reader that takes nothing is cut off, and makes room for the next", async () => {
  const endless = function* (): Generator<Buffer> {
    for (;;) yield Buffer.alloc(65_536);
  };
  const { app, clock, addUser, messages } = await open(() => Promise.resolve(Readable.from(endless())));
  const admin = await addUser("boss", "admin");
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as { readonly port: number };
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.pause();
  socket.write(
    `POST /api/v1/backup HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nAuthorization: Bearer ${admin}\r\n\r\n`,
  );
  await expect.poll(messages).toContain("A backup has begun.");
  expect((await get(app, admin)).statusCode).toBe(429);
  // Until the pipe is full it goes on, and each chunk is given its time.
  const ended = async (): Promise<unknown> => {
    await clock.advance(1_000);
    return (await messages())[0];
  };
  await expect.poll(ended).toBe("A backup ended before it was complete.");
  const next = connect(port, "127.0.0.1");
  onTestFinished(() => void next.destroy());
  next.write(
    `POST /api/v1/backup HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nAuthorization: Bearer ${admin}\r\n\r\n`,
  );
  expect(String((await once(next, "data"))[0])).toMatch(/^HTTP\/1\.1 200 /u);
});
