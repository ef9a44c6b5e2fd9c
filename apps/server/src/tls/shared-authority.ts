import { X509Certificate } from "node:crypto";

import { BowlineError } from "@bowline/core";

import type { Installation } from "@bowline/store";
import type { KeyPair } from "@bowline/tls";

const installationName = "tls-authority";

/**
 * The CA of this installation, made by the first server that needs it. It is kept in the database, encrypted, so that
 * clients that trust one server trust them all.
 */
export async function sharedAuthority(installation: Installation, nowMs: number): Promise<KeyPair> {
  const authority = parse((await installation.recall(installationName)) ?? (await make(installation, nowMs)));
  if (new X509Certificate(authority.cert).validToDate.getTime() > nowMs) return authority;
  throw new BowlineError(
    "CertificateExpired",
    "The CA that this server made for itself has ended; check the clock of this machine, or give a certificate with --tls-cert-file and --tls-key-file.",
  );
}

async function make(installation: Installation, nowMs: number): Promise<string> {
  const { makeAuthority } = await import("@bowline/tls/issue");
  return installation.remember(installationName, JSON.stringify(await makeAuthority(nowMs)));
}

function parse(text: string): KeyPair {
  return JSON.parse(text);
}
