import { hostname, networkInterfaces } from "node:os";

import type { Address } from "@bowline/core";

import type { ServerConfig } from "../config/server-config.ts";

const anyHost: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** The address that clients are told. */
export function advertisedUrl(config: ServerConfig, bound: Address): string {
  if (config.advertisedUrl !== undefined) return config.advertisedUrl;
  const host = anyHost.has(bound.host) ? hostname() : bound.host;
  const scheme = config.tls.mode === "off" ? "http" : "https";
  return `${scheme}://${addressText({ host, port: bound.port })}`;
}

/** The addresses that agents are told, the best first. */
export function agentUrls(config: ServerConfig, bound: Address): readonly [string, ...string[]] {
  const [first, ...others] = config.gateway.urls ?? [];
  return first === undefined ? [advertisedUrl(config, bound)] : [first, ...others];
}

/** The address that other replicas are told. */
export function replicaUrl(config: ServerConfig, bound: Address): string {
  if (config.replica.url !== undefined) return config.replica.url;
  // Not the name of the machine, which others cannot resolve where it is a pod.
  const host = anyHost.has(bound.host) ? (ownAddress() ?? "127.0.0.1") : bound.host;
  return `https://${addressText({ host, port: bound.port })}`;
}

/** An address that others may reach this machine at; IPv4 where there is one. */
function ownAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const usable = all.filter(({ internal, address }) => !internal && !address.startsWith("fe80:"));
  return (usable.find(({ family }) => family === "IPv4") ?? usable[0])?.address;
}

/** `127.0.0.1:7443`, `[::1]:7443` */
export function addressText({ host, port }: Address): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The console where the server listens without TLS. */
export function consoleUrlAt(address: Address): string {
  return `http://${addressText(address)}/ui/`;
}

/** Everything that clients may call this server. */
export function servingNames(config: ServerConfig): readonly string[] {
  const { advertisedUrl: url, listen, tls } = config;
  return [
    "localhost",
    "127.0.0.1",
    "::1",
    hostname(),
    ...(anyHost.has(listen.host) ? [] : [listen.host]),
    ...(url === undefined ? [] : [new URL(url).hostname.replace(/^\[|\]$/gu, "")]),
    ...(tls.names ?? []),
  ];
}
