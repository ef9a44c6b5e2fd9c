import { createHash, createHmac } from "node:crypto";

import type { RepositoryAddress } from "../model/repository-url.ts";

/** The fingerprints that known_hosts has for the host of an address, as `ssh-ed25519 SHA256:…`. */
export function knownFingerprints(knownHosts: string, address: RepositoryAddress): string[] {
  const name = knownName(address);
  return knownHosts.split("\n").flatMap((line) => {
    const [hosts = "", type, key] = line.trim().split(/\s+/u);
    // Lines with a marker revoke a key or trust an authority: neither is the key of this host.
    if (hosts.startsWith("#") || hosts.startsWith("@") || type === undefined || key === undefined) return [];
    return hosts.split(",").some((pattern) => isFor(pattern, name)) ? [`${type} ${keyFingerprint(key)}`] : [];
  });
}

/** `SHA256:…` of a public key in base64, as ssh-keygen prints it. */
export function keyFingerprint(key: string): string {
  const digest = createHash("sha256").update(Buffer.from(key, "base64")).digest("base64");
  return `SHA256:${digest.replace(/=+$/u, "")}`;
}

/** A port that is not SSH's own is a part of the name. */
function knownName({ host, port }: RepositoryAddress): string {
  return port === undefined ? host : `[${host}]:${port}`;
}

function isFor(pattern: string, name: string): boolean {
  const [, salt, hash] = /^\|1\|([^|]+)\|([^|]+)$/u.exec(pattern) ?? [];
  if (salt === undefined || hash === undefined) return pattern.toLowerCase() === name;
  return createHmac("sha1", Buffer.from(salt, "base64")).update(name).digest("base64") === hash;
}
