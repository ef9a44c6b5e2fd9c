import { createHash } from "node:crypto";

import { grafanaAgents } from "../api/resources.ts";

/** All that a name is made from. */
interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Names of pods, Services and labels hold 63 characters; a StatefulSet needs some of them for its pods. */
const maxBaseLength = 40;

/**
 * What the names of everything an agent owns begin with; agents of two kinds may have one name. A name that is too long, or has dots, which a Service must
 * not have, is cut and told from others by a hash.
 */
export function baseName({ kind, metadata }: Named): string {
  const name = `${kind === grafanaAgents.kind ? "grafana-agent" : "metrics"}-${metadata.name}`;
  if (name.length <= maxBaseLength && !name.includes(".")) return name;
  const hash = createHash("sha256").update(metadata.name).digest("hex").slice(0, 10);
  const cut = name.slice(0, maxBaseLength - hash.length - 1).replaceAll(".", "-");
  return `${cut.replace(/-+$/u, "")}-${hash}`;
}

/**
 * Every name but the Service's ends in what it is and a number, also where there is only one: were the first shard of
 * `web` called as `web` itself, the second could be called as the first of an agent `web-shard-1`.
 */
export const objectNames = {
  service: (agent: Named): string => baseName(agent),
  statefulSet: (agent: Named, shard: number): string => `${baseName(agent)}-shard-${shard}`,
  config: (agent: Named, part: number): string => `${baseName(agent)}-config-${part}`,
  files: (agent: Named, part: number): string => `${baseName(agent)}-files-${part}`,
  report: (agent: Named): string => `${baseName(agent)}-status`,
} as const;
