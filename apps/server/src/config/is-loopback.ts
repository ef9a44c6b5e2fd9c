import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether only this machine can reach the host. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family === 0
    ? host.toLowerCase() === "localhost"
    : loopback.check(host, family === 4 ? "ipv4" : "ipv6");
}
