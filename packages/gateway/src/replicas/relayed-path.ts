import { dnsLabel } from "@bowline/api";
import { BowlineError } from "@bowline/core";

const prefix = "/clusters/";
const relayed = new RegExp(`^${prefix}(?<cluster>[^/]{1,${dnsLabel.maxLength}})(?<path>/.*)$`, "u");

/** The path by which one replica tells another which cluster a request is for. */
export function relayedPath(cluster: string, path: string): string {
  return `${prefix}${cluster}${path}`;
}

/** What the path says; everything after the name is as it was. */
export function parseRelayedPath(path: string): { readonly cluster: string; readonly path: string } {
  const { cluster, path: rest } = relayed.exec(path)?.groups ?? {};
  if (cluster !== undefined && rest !== undefined) return { cluster, path: rest };
  throw new BowlineError("ProtocolViolation", "A replica has relayed a request that names no cluster.");
}
