import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";

/** Listens on a free port of this machine and says which. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
