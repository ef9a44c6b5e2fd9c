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

export type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy that the environment names for a server, by the conventions that curl and others follow. */
export function proxyFor(server: URL, environment: Environment): URL | undefined {
  // A proxy elsewhere would take the name of this machine for its own.
  if (isLoopback(server.hostname) || isExempt(server, variable(environment, "no_proxy"))) return undefined;
  const scheme = server.protocol === "https:" ? "https_proxy" : "http_proxy";
  const proxy = variable(environment, scheme) ?? variable(environment, "all_proxy");
  const url = proxy?.includes("://") === false ? `http://${proxy}` : proxy;
  return url === undefined || !URL.canParse(url) ? undefined : new URL(url);
}

function variable(environment: Environment, name: string): string | undefined {
  const value = environment[name] ?? environment[name.toUpperCase()];
  return value === undefined || value === "" ? undefined : value;
}

/** Entries are hosts, `.domains` with all below them, addresses, networks (`10.0.0.0/8`), each with a port, or `*`. */
function isExempt({ hostname, protocol, port }: URL, noProxy = ""): boolean {
  const host = hostname.replace(/^\[|\]$/gu, "");
  const ownPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return noProxy.split(/[\s,]+/u).some((entry) => matches(entry.toLowerCase(), host, ownPort));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (isNetwork(entry)) return isInNetwork(host, entry);
  const [, bracketed, plain = "", wantedPort] = /^(?:\[(.+)\]|(.*?))(?::(\d+))?$/u.exec(entry) ?? [];
  // An address of IPv6 without brackets has colons, but no port.
  const wanted = isIP(entry) === 6 ? entry : (bracketed ?? plain.replace(/^\*?\./u, ""));
  if (wanted === "") return false;
  if (isIP(entry) !== 6 && wantedPort !== undefined && wantedPort !== port) return false;
  return host === wanted || (isIP(host) === 0 && host.endsWith(`.${wanted}`));
}

function isNetwork(entry: string): boolean {
  const [address = "", bits] = entry.split("/");
  return isIP(address) !== 0 && bits !== undefined && /^\d{1,3}$/u.test(bits);
}

function isInNetwork(host: string, network: string): boolean {
  const family = isIP(host);
  const [address = "", bits] = network.split("/");
  if (family === 0 || isIP(address) !== family || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  const type = family === 4 ? "ipv4" : "ipv6";
  list.addSubnet(address, Number(bits), type);
  return list.check(host, type);
}
