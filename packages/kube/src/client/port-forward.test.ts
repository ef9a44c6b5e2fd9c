import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import type { Duplex } from "node:stream";

import { expect, onTestFinished, test } from "vitest";

import type { ClusterConnection } from "../config/cluster-connection.ts";
import { openPodPort } from "./port-forward.ts";

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** An API server that lets nobody through. */
async function refusing(): Promise<ClusterConnection> {
  const server = createServer();
  server.on("upgrade", (_request, socket: Duplex) => {
    socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n");
  });
  const port = await listening(server);
  return {
    name: "test",
    server: `http://127.0.0.1:${port}`,
    namespace: "default",
    insecureSkipVerify: false,
    auth: { type: "none" },
  };
}

test("a refusal says which pod, and which right is needed", async () => {
  const opening = openPodPort(await refusing(), { namespace: "a", pod: "web-0", port: 80 });
  await expect(opening).rejects.toMatchObject({ code: "ConnectionFailed" });
  await expect(opening).rejects.toThrow(
    "pod a/web-0 port 80; check that the pod runs, and the right to create",
  );
});

test("an API server that is not there is no open connection", async () => {
  const connection = { ...(await refusing()), server: "http://127.0.0.1:1" };
  await expect(openPodPort(connection, { namespace: "a", pod: "b", port: 1 })).rejects.toMatchObject({
    code: "ConnectionFailed",
  });
});
