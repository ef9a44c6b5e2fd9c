import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";

import { BowlineError, replaceFile, type Clock } from "@bowline/core";
import type { Installation } from "@bowline/store";
import { certificateNames, type CertificateName, type KeyPair } from "@bowline/tls";

import type { CertificateSource } from "./certificate-source.ts";

export interface SelfMadeOptions {
  readonly authority: KeyPair;
  readonly names: readonly CertificateName[];
  /** Where it is kept over a restart. */
  readonly file: string;
  readonly clock: Pick<Clock, "now">;
}

/** It is renewed when this share of its time is left: a month of three. */
const renewShare = 1 / 3;

/** The certificate that the server makes for itself, and renews before it ends. */
export class SelfMadeCertificate implements CertificateSource {
  readonly refreshMs = 3_600_000;
  readonly #options: SelfMadeOptions;
  #current: KeyPair;

  /** The one in the file if it still serves, else a new one. */
  static async open(options: SelfMadeOptions): Promise<SelfMadeCertificate> {
    const kept = await readPair(options.file);
    const isGood = kept !== undefined && isUsable(kept, options);
    return new SelfMadeCertificate(options, isGood ? kept : await issue(options));
  }

  private constructor(options: SelfMadeOptions, current: KeyPair) {
    this.#options = options;
    this.#current = current;
  }

  get current(): KeyPair {
    return this.#current;
  }

  async refresh(): Promise<boolean> {
    if (!isDue(new X509Certificate(this.#current.cert), this.#options.clock.now())) return false;
    this.#current = await issue(this.#options);
    return true;
  }
}

async function issue({ authority, names, clock, file }: SelfMadeOptions): Promise<KeyPair> {
  const { issueServingCertificate } = await import("@bowline/tls/issue");
  const pair = await issueServingCertificate(authority, { names, nowMs: clock.now() });
  await replaceFile(file, pair.cert + pair.key);
  return pair;
}

/** Undefined when there is none, or it is damaged: then a new one is made. */
async function readPair(file: string): Promise<KeyPair | undefined> {
  try {
    const content = await readFile(file, "utf8");
    const keyStart = content.indexOf("-----BEGIN PRIVATE KEY-----");
    const pair = { cert: content.slice(0, keyStart), key: content.slice(keyStart) };
    return new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key)) ? pair : undefined;
  } catch {
    return undefined;
  }
}

function isUsable({ cert }: KeyPair, { authority, names, clock }: SelfMadeOptions): boolean {
  const certificate = new X509Certificate(cert);
  return (
    certificate.verify(new X509Certificate(authority.cert).publicKey) &&
    !isDue(certificate, clock.now()) &&
    textOf(namesOf(certificate)) === textOf(names)
  );
}

/** A clock that was set back far counts as well: clients would not accept a certificate of the future. */
function isDue({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean {
  const [fromMs, toMs] = [validFromDate.getTime(), validToDate.getTime()];
  return nowMs < fromMs || toMs - nowMs < (toMs - fromMs) * renewShare;
}

function namesOf({ subjectAltName = "" }: X509Certificate): readonly CertificateName[] {
  return certificateNames(subjectAltName.split(", ").map((entry) => entry.slice(entry.indexOf(":") + 1)));
}

function textOf(names: readonly CertificateName[]): string {
  return names
    .map(({ type, value }) => `${type}:${value}`)
    .toSorted()
    .join();
}

const installationName = "tls-authority";

/**
 * The CA of this installation, made by the first server that needs it. It is kept in the database, encrypted, so that
 * clients that trust one server trust them all.
 */
export async function sharedAuthority(installation: Installation, nowMs: number): Promise<KeyPair> {
  const authority = parsePair(
    (await installation.recall(installationName)) ?? (await rememberNew(installation, nowMs)),
  );
  if (new X509Certificate(authority.cert).validToDate.getTime() > nowMs) return authority;
  throw new BowlineError(
    "CertificateExpired",
    "The CA that this server made for itself has ended; check the clock of this machine, or give a certificate with --tls-cert-file and --tls-key-file.",
  );
}

async function rememberNew(installation: Installation, nowMs: number): Promise<string> {
  const { makeAuthority } = await import("@bowline/tls/issue");
  return installation.remember(installationName, JSON.stringify(await makeAuthority(nowMs)));
}

function parsePair(text: string): KeyPair {
  return JSON.parse(text);
}
