import { text } from "node:stream/consumers";

import { expect, test } from "vitest";

import { runBowline } from "../../testing/run-bowline.ts";
import { responseTo, ServerClient, tempFolder, startServerProcess } from "../../testing/server-client.ts";

const cluster = JSON.stringify({
  apiVersion: "bowline.dev/v1",
  kind: "Cluster",
  metadata: { name: "shop" },
  spec: { provider: "existing" },
});

test("the first start says how to log in, which works word for word, and the token is never shown again", async () => {
  const data = await tempFolder();
  const server = await startServerProcess(data);
  const { token } = new ServerClient(server.out, data);
  expect(server.out.split(token)).toHaveLength(2);
  expect(server.log).not.toContain(token);

  const command = /^ +bowline (login .*)$/mu.exec(server.out)?.[1] ?? "";
  expect(command).toMatch(
    /^login https:\/\/127\.0\.0\.1:\d+ --ca-fingerprint sha256:[0-9a-f]{64} --token-file \//u,
  );
  const environment = { HOME: await tempFolder() };
  expect(await runBowline(command.split(" "), { environment })).toMatchObject({ code: 0, error: "" });
  const users = await runBowline(["get", "users", "-o", "name"], { environment });
  expect(users).toMatchObject({ code: 0, out: "user/admin\n" });

  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
  const again = await startServerProcess(data);
  expect(again.out).not.toContain(token);
  expect(again.out).toMatch(
    /with the token of the first start:\n\n {2}bowline login https:.* --token-file \//u,
  );
  expect((await new ServerClient(again.out, data).get("/api/v1/whoami")).status).toBe(200);
  again.kill("SIGINT");
  expect(await again.exited).toBe(0);
});

test("SIGTERM drains: requests finish, watches are told to go on elsewhere, nobody new is let in", async () => {
  const data = await tempFolder();
  const server = await startServerProcess(data);
  const client = new ServerClient(server.out, data);
  const watching = client.open("GET", "/api/v1/clusters?watch=1");
  watching.end();
  const watch = await responseTo(watching);
  expect(watch.headers["content-type"]).toContain("text/event-stream");
  const watched = text(watch);
  const creating = await client.beginCreate("/api/v1/clusters", cluster.slice(0, 20));

  server.kill("SIGTERM");
  await server.logged('"msg":"Stopping"');
  expect(await watched).toContain("ServerUnavailable");
  await expect(client.get("/api/v1/clusters")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  creating.end(cluster.slice(20));
  const created = await responseTo(creating);
  expect(created.statusCode).toBe(201);
  expect(created.headers.connection).toBe("close");
  expect(JSON.parse(await text(created))).toMatchObject({ metadata: { name: "shop" } });
  expect(await server.exited).toBe(0);
  expect(server.log).toContain('"msg":"Stopped"');
});

test("a second signal ends it at once", async () => {
  const data = await tempFolder();
  const server = await startServerProcess(data, "--drain-time", "1h");
  const creating = await new ServerClient(server.out, data).beginCreate("/api/v1/clusters", "{");
  creating.on("error", () => {});
  server.kill("SIGTERM");
  await server.logged('"msg":"Stopping"');
  server.kill("SIGTERM");
  expect(await server.exited).toBe(143);
});
