import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether only this machine can reach the host, which may be written as in a URL: `[::1]`. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/gu, "");
  const family = isIP(address);
  return family === 0
    ? address.toLowerCase() === "localhost"
    : loopback.check(address, family === 4 ? "ipv4" : "ipv6");
}
