import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { expect, onTestFinished, test } from "vitest";

import { PortForwarder } from "./port-forwarder.ts";

async function echo(): Promise<number> {
  const server = createServer(
    { allowHalfOpen: true },
    (socket) => void socket.on("error", () => {}).pipe(socket),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test("bytes pass both ways, an end passes as an end, and nothing is left when it is closed", async () => {
  const port = await echo();
  const forwarder = await PortForwarder.listen({
    host: "127.0.0.2",
    port,
    target: { host: "127.0.0.1", port },
  });
  const first = connect({ host: "127.0.0.2", port, allowHalfOpen: true });
  first.end("hello");
  expect(await text(first)).toBe("hello");

  const second = connect({ host: "127.0.0.2", port }).on("error", () => {});
  await once(second, "connect");
  const closed = once(second, "close");
  await forwarder.close();
  await closed;
  const refused = connect({ host: "127.0.0.2", port });
  expect(await once(refused, "error")).toMatchObject([{ code: "ECONNREFUSED" }]);
});
