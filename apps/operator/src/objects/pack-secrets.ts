import type { KubeObject } from "@bowline/kube";

import type { MetricsAgent } from "../api/metrics-agent.ts";
import { ownedMetadata } from "./ownership.ts";

/** A Secret holds 1 MiB; this leaves room for names and for what etcd adds. */
export const maxSecretBytes = 900 * 1024;

/** As many Secrets as pods mount, whether they exist or not: growing into another one must not restart any pod. */
export const maxSecretParts = 8;

export interface Secret extends KubeObject {
  data: Record<string, string>;
}

export interface SecretEntry {
  readonly key: string;
  readonly bytes: Buffer;
}

/**
 * Spreads entries over as few Secrets as hold them, in their order; one at least, so that pods find their first. They
 * may be more than pods mount.
 */
export function packSecrets(
  agent: MetricsAgent,
  entries: readonly SecretEntry[],
  nameOf: (agent: MetricsAgent, part: number) => string,
): Secret[] {
  const parts: SecretEntry[][] = [[]];
  let usedBytes = 0;
  for (const entry of entries) {
    const bytes = entry.key.length + entry.bytes.length;
    if (usedBytes > 0 && usedBytes + bytes > maxSecretBytes) {
      parts.push([]);
      usedBytes = 0;
    }
    parts.at(-1)?.push(entry);
    usedBytes += bytes;
  }
  return parts.map((part, index) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: ownedMetadata(agent, nameOf(agent, index)),
    type: "Opaque",
    data: Object.fromEntries(part.map(({ key, bytes }) => [key, bytes.toString("base64")])),
  }));
}
