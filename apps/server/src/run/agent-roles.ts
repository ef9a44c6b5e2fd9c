import type { ServerConfig } from "../config/server-config.ts";

/** Whether requests to clusters can be made of it: of every server but those that only run controllers, with TLS. */
export function reachesAgents({ role, tls }: ServerConfig): boolean {
  return role !== "controllers" && tls.mode === "on";
}

/** Whether agents connect to it. Others reach them through those that do. */
export function holdsAgents(config: ServerConfig): boolean {
  return reachesAgents(config) && config.role !== "api";
}
