import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

import type { MetricsAgent } from "../api/metrics-agent.ts";
import { objectNames } from "./agent-names.ts";
import { maxSecretBytes, packSecrets, type Secret, type SecretEntry } from "./pack-secrets.ts";

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
