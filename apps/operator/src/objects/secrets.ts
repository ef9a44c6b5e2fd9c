import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

import type { KubeObject } from "@bowline/kube";

import type { MetricsAgent } from "./kinds.ts";
import { objectNames, ownedMetadata } from "./ownership.ts";

/** A Secret holds 1 MiB; this leaves room for names and for what etcd adds. */
export const maxSecretBytes = 900 * 1024;

/** As many Secrets as pods mount, whether they exist or not: growing into another one must not restart any pod. */
export const maxSecretParts = 8;

export interface Secret extends KubeObject {
  data: Record<string, string>;
}

interface SecretEntry {
  readonly key: string;
  readonly bytes: Buffer;
}

/**
 * Spreads entries over as few Secrets as hold them, in their order; one at least, so that pods find their first. They
 * may be more than pods mount.
 */
function packSecrets(
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

/** Smaller configurations stay readable with kubectl. */
const compressAboveBytes = 256 * 1024;

/** Leaves room for the manifest beside the first part. */
const partBytes = maxSecretBytes - 1024;

/**
 * The configuration in one Secret, or in several when it is larger than one can be. Kubelet brings several to a pod one
 * after the other, so the first has a manifest with the checksum of all: `<sha256> <parts> <plain|gzip>`. Whoever puts
 * them together waits until it agrees.
 */
export function configSecrets(agent: MetricsAgent, config: string): Secret[] {
  const text = Buffer.from(config);
  const isLarge = text.length > compressAboveBytes;
  const bytes = isLarge ? gzipSync(text, { level: 6 }) : text;
  const parts: SecretEntry[] = [];
  for (let start = 0; start === 0 || start < bytes.length; start += partBytes) {
    parts.push({ key: `part-${parts.length}`, bytes: bytes.subarray(start, start + partBytes) });
  }
  const checksum = createHash("sha256").update(bytes).digest("hex");
  const manifest = Buffer.from(`${checksum} ${parts.length} ${isLarge ? "gzip" : "plain"}\n`);
  return packSecrets(agent, [{ key: "manifest", bytes: manifest }, ...parts], objectNames.config);
}

/** The certificates and keys that the configuration names as files, by their names. */
export type Files = ReadonlyMap<string, Buffer>;

/** Copies into the agent's namespace: a pod can mount no Secret of another one. */
export function fileSecrets(agent: MetricsAgent, files: Files): Secret[] {
  const entries = [...files].map(([key, bytes]) => ({ key, bytes })).sort((a, b) => (a.key < b.key ? -1 : 1));
  return packSecrets(agent, entries, objectNames.files);
}
