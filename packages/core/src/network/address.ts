import { BlockList, isIP } from "node:net";

export interface Address {
  /** A name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

const pattern = /^(?:\[([0-9a-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/iu;
const largestPort = 65_535;

/** `127.0.0.1:7443`, `[::]:7443` or `localhost:0`; undefined for everything else. */
export function parseAddress(text: string): Address | undefined {
  const [, bracketed, plain, digits] = pattern.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host === undefined || port > largestPort ? undefined : { host, port };
}

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

/** `https://user:secret@host/` without what may not be shown. */
export function withoutCredentials(url: string): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  return shown.href.replace(/\/$/u, "");
}

/** `host:port` of a URL of HTTP, also where the port is the usual one. */
export function hostAndPort(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname}:${port === "" ? (protocol === "http:" ? "80" : "443") : port}`;
}
