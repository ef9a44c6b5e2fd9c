import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { StreamClient } from "../stream/testing/stream-client.ts";
import { startReplica } from "./testing/start-replica.ts";

const clusters = "/api/v1/clusters?watch=1";

test("streams of a whole server end with their token, and with the server", async () => {
  const server = await startReplica({});
  const admin = server.adminToken ?? "";
  const connect = (as: string): Promise<StreamClient> =>
    StreamClient.open(`${server.url.replace("https:", "wss:")}/api/v1/stream`, {
      as,
      ca: readFileSync(server.caFile ?? "", "utf8"),
    });
  const made = await server.ask(admin, "/api/v1/tokens", {
    apiVersion: "bowline.dev/v1",
    kind: "Token",
    metadata: { name: "page" },
    spec: { user: "admin" },
  });
  const { status } = JSON.parse(made.body);
  const [page, other] = [await connect(status.secret), await connect(admin)];
  const watch = await page.get(clusters).untilEvent("BOOKMARK");
  const otherWatch = await other.get(clusters).untilEvent("BOOKMARK");
  await server.ask(admin, "/api/v1/tokens/page/revoke", {});
  expect(await page.closed).toEqual({ code: 4401, reason: "The access has ended; sign in again." });
  expect(watch.events.at(-1)?.data).toMatchObject({ type: "ERROR", error: { code: "Unauthorized" } });
  expect(otherWatch.isOver).toBe(false);
  const stopped = server.close();
  expect(await other.closed).toMatchObject({ code: 1001 });
  expect(otherWatch.events.at(-1)?.data).toMatchObject({ error: { code: "ServerUnavailable" } });
  await stopped;
});
