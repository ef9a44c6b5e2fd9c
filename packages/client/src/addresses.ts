import { Cluster, type Kind } from "@bowline/api";
import { BowlineError } from "@bowline/core";

const base = "/api/v1";

/** Where things are, as `docs/reference/openapi.json` has it. */
export const addresses = {
  collection: (kind: Kind): string => `${base}/${kind.plural}`,
  object: (kind: Kind, name: string): string => `${base}/${kind.plural}/${segment(kind, name)}`,
  status: (kind: Kind, name: string): string => `${addresses.object(kind, name)}/status`,
  joinTokens: (cluster: string): string => `${addresses.object(Cluster, cluster)}/join-tokens`,
  revokeAgents: (cluster: string): string => `${addresses.object(Cluster, cluster)}/revoke-agents`,
  events: `${base}/events`,
  audit: `${base}/audit`,
  login: `${base}/login`,
  whoami: `${base}/whoami`,
  version: "/version",
} as const;

/** No name may lead to another address than that of its object. */
function segment(kind: Kind, name: string): string {
  if (name !== "" && !/^\.{1,2}$/.test(name)) return encodeURIComponent(name);
  throw new BowlineError("InvalidArgument", `"${name}" cannot be the name of a ${kind.kind}.`);
}
