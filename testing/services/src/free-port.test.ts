import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "./free-port.ts";

it("finds a port to listen on, outside the range of outgoing connections", async () => {
  const port = await freePort();
  expect(port).toBeLessThan(32_768);
  const server = createServer().listen(port, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
});

it("says so when there is none", async () => {
  await expect(freePort("192.0.2.1")).rejects.toMatchObject({
    message: expect.stringContaining("no free TCP port"),
  });
});
