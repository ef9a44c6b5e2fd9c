import type { NatsOptions } from "../broker/jetstream/nats-options.ts";
import type { ServerConfig } from "../config/server-config.ts";

/** Undefined where there is no NATS. */
export function natsSettings({ nats }: ServerConfig): NatsOptions | undefined {
  const { url, credentialsFile, caFile, certFile, keyFile } = nats;
  if (url === undefined) return undefined;
  const certificate = certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
  return { url: url.join(","), credentialsFile, caFile, certificate };
}
