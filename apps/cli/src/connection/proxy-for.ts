import type { Environment } from "../command-context.ts";

/** The proxy that the environment names for a server, by the conventions that curl and others follow. */
export function proxyFor(server: string, environment: Environment): string | undefined {
  const url = new URL(server);
  if (isLoopback(url.hostname) || isExempt(url, variable(environment, "no_proxy"))) return undefined;
  const scheme = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  const proxy = variable(environment, scheme) ?? variable(environment, "all_proxy");
  if (proxy === undefined) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

function variable(environment: Environment, name: string): string | undefined {
  const value = environment[name] ?? environment[name.toUpperCase()];
  return value === undefined || value === "" ? undefined : value;
}

/** Entries are hosts, `.domains` with all below them, either with a port, or `*`. */
function isExempt({ hostname, port, protocol }: URL, noProxy = ""): boolean {
  const ownPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return noProxy.split(/[\s,]+/).some((entry) => {
    if (entry === "*") return true;
    const [, host = "", wantedPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const domain = host.replace(/^\*?\./, "");
    if (domain === "" || (wantedPort !== undefined && wantedPort !== ownPort)) return false;
    return hostname === domain || hostname.endsWith(`.${domain}`);
  });
}
