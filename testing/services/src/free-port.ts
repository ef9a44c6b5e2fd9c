import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { BowlineError } from "@bowline/core";

/**
 * Below the range from which the kernel takes the ports of outgoing connections (32768 and up on Linux), so that no
 * connection steals a port between this choice and the server's own listen().
 */
const lowestPort = 20_000;
const highestPort = 32_000;
const maxTries = 50;

/** A TCP port on which nothing listens, at random: processes that choose at the same time seldom choose alike. */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  for (let tries = 0; tries < maxTries; tries++) {
    const port = randomInt(lowestPort, highestPort);
    if (await canListen(host, port)) return port;
  }
  throw new BowlineError("Internal", `Found no free TCP port on ${host} in ${maxTries} tries.`);
}

async function canListen(host: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
