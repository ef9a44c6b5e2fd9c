import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

import { expect, onTestFinished, test } from "vitest";

import { FaultyNetwork } from "./faulty-network.ts";

/** A connection through a network, with both its ends. */
async function connectThrough() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const network = await FaultyNetwork.start((server.address() as AddressInfo).port);
  const accepted = once(server, "connection");
  const client = connect(network.port, "127.0.0.1");
  const [far] = (await accepted) as [Socket];
  onTestFinished(async () => {
    await network[Symbol.asyncDispose]();
    client.destroy();
    far.destroy();
    server.close();
  });
  return { network, client, far };
}

test("passes bytes on, both ways, and the end of a connection", async () => {
  const { network, client, far } = await connectThrough();
  client.write("hello");
  expect(String(await once(far, "data"))).toBe("hello");
  far.write("world");
  expect(String(await once(client, "data"))).toBe("world");
  network.cut();
  await Promise.all([once(client, "close"), once(far.resume(), "close")]);
  await expect.poll(() => network.connections).toBe(0);
});

test("swallows what is sent, and that an end is gone", async () => {
  const { network, client, far } = await connectThrough();
  client.write("hello");
  await once(far, "data");
  network.swallow();
  let received = 0;
  far.on("data", (chunk) => (received += chunk.length));
  await new Promise((resolve) => client.write("lost", resolve));
  client.destroy();
  await once(client, "close");
  expect([received, far.readable, network.connections]).toEqual([0, true, 1]);
});
