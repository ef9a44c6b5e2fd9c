import { createHash } from "node:crypto";

/** Names of pods, Services and labels hold 63 characters; a StatefulSet needs some of them for its pods. */
const maxBaseLength = 40;

/**
 * What the names of everything an agent owns begin with. A name that is too long, or has dots, which a Service must
 * not have, is cut and told from others by a hash.
 */
export function baseName(agent: string): string {
  const name = `metrics-${agent}`;
  if (name.length <= maxBaseLength && !name.includes(".")) return name;
  const hash = createHash("sha256").update(agent).digest("hex").slice(0, 10);
  const cut = name.slice(0, maxBaseLength - hash.length - 1).replaceAll(".", "-");
  return `${cut.replace(/-+$/u, "")}-${hash}`;
}

/**
 * Every name but the Service's ends in what it is and a number, also where there is only one: were the first shard of
 * `web` called as `web` itself, the second could be called as the first of an agent `web-shard-1`.
 */
export const objectNames = {
  service: (agent: string): string => baseName(agent),
  statefulSet: (agent: string, shard: number): string => `${baseName(agent)}-shard-${shard}`,
  config: (agent: string, part: number): string => `${baseName(agent)}-config-${part}`,
  files: (agent: string, part: number): string => `${baseName(agent)}-files-${part}`,
} as const;
