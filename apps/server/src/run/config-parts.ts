import type { OidcClientSettings, OidcSettings } from "@bowline/auth";

import type { ServerConfig } from "../config/server-config.ts";
import type { NatsOptions } from "../broker/jetstream/dial-nats.ts";

/** Whether it makes requests of clusters, its own or those of clients. */
export function reachesAgents({ tls }: ServerConfig): boolean {
  return tls.mode === "on";
}

/** Whether clients may make requests of clusters through it: not through one that only runs controllers. */
export function passesRequests(config: ServerConfig): boolean {
  return reachesAgents(config) && config.role !== "controllers";
}

/** Whether agents connect to it. Others reach them through those that do. */
export function holdsAgents(config: ServerConfig): boolean {
  return passesRequests(config) && config.role !== "api";
}

/** The image of agents: that of the server, unless a setting names one. */
export function agentImage({ agent: { image } }: Pick<ServerConfig, "agent">, version: string): string {
  return image ?? `bowline:${version}`;
}

/** The programs that may render what comes from git. */
export function rendererNames({ git: { renderers } }: ServerConfig): ("kustomize" | "helm")[] {
  if (renderers === "none") return [];
  return renderers === "all" ? ["kustomize", "helm"] : [renderers];
}

/** Undefined where there is no NATS. */
export function natsSettings({ nats }: ServerConfig): NatsOptions | undefined {
  const { url, credentialsFile, caFile, certFile, keyFile } = nats;
  if (url === undefined) return undefined;
  const certificate = certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
  return { url: url.join(","), credentialsFile, caFile, certificate };
}

/** Undefined when no issuer was given. */
export function oidcSettings({ oidc }: ServerConfig): OidcSettings | undefined {
  const {
    issuer,
    clientId,
    roles = {},
    clientSecret: _secret,
    name: _name,
    scopes: _scopes,
    ...others
  } = oidc;
  return issuer === undefined || clientId === undefined ? undefined : { ...others, issuer, clientId, roles };
}

/** How browsers sign in at the issuer; undefined when none was given. */
export function oidcClientSettings({ oidc }: ServerConfig): OidcClientSettings | undefined {
  const { issuer, clientId, clientSecret, scopes } = oidc;
  return issuer === undefined || clientId === undefined
    ? undefined
    : { issuer, clientId, clientSecret, scopes };
}

/** What people call the issuer. */
export function issuerName({ oidc: { name, issuer = "" } }: ServerConfig): string {
  return name ?? URL.parse(issuer)?.host ?? issuer;
}
