import { readFileSync } from "node:fs";
import { connect as connectTls } from "node:tls";

import { expect, test } from "vitest";

import { send } from "../../run/testing/https-request.ts";
import { startTestServer, tempFolder } from "../../run/testing/start-test-server.ts";
import { rawExchange, statusesIn } from "./raw-exchange.ts";

const get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
/** The beginning of what a client says first, which promises more than comes. */
const clientHello = Buffer.from("16030100a5010000a10303", "hex");

test("A port that speaks TLS stays healthy, whatever else is sent to it", async () => {
  const server = await startTestServer({ "--data": await tempFolder() });
  const { port: text } = new URL(server.url);
  const port = Number(text);
  const ca = readFileSync(String(server.caFile), "utf8");

  const garbage = [get, "\0".repeat(100), "SSH-2.0-OpenSSH_9.9\r\n", clientHello, Buffer.alloc(20_000, 0x16)];
  for (const bytes of garbage) {
    for (const atEnd of ["end", "reset"] as const) {
      expect(statusesIn(await rawExchange({ port, parts: [bytes], atEnd }))).toEqual([]);
    }
  }
  // No HTTP inside of TLS, and a client that goes in the middle of it.
  const inside = await new Promise<string>((resolve) => {
    const socket = connectTls({ port, host: "127.0.0.1", ca, servername: "localhost" });
    let received = "";
    socket.on("secureConnect", () => socket.write("nonsense\r\n\r\n"));
    socket.on("data", (bytes) => (received += bytes.toString("latin1")));
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
  });
  expect(statusesIn(inside)).toEqual([400]);

  expect(await send(`https://127.0.0.1:${port}/healthz`, { ca })).toMatchObject({
    status: 200,
    body: "ok\n",
  });
  expect(server.logged.filter((line) => /"level":"(?:error|fatal)"/u.test(line))).toEqual([]);
});
