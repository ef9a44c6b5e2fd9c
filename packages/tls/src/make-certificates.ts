/** Imported only when a certificate has to be made: the library takes longer to load than the rest of the start. */
import { webcrypto } from "node:crypto";
// The generator is built on a dependency container that wants this first.
import "reflect-metadata";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

import type { CertificateName, KeyPair } from "./certificate.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const dayMs = 86_400_000;
const authorityDays = 3650;
const servingDays = 90;
/** Clients whose clocks are behind must not take a new certificate for one of the future. */
const clockSkewMs = 3_600_000;

export interface IssueOptions {
  readonly names: readonly CertificateName[];
  readonly nowMs: number;
}

/** A CA of its own, for ten years. */
export async function makeAuthority(nowMs: number): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: "CN=Bowline CA",
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(nowMs - clockSkewMs),
    notAfter: new Date(nowMs + authorityDays * dayMs),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: certificatePem(certificate), key: await keyPem(keys.privateKey) };
}

/**
 * A certificate for a server, for 90 days, but never longer than its CA. The CA comes with it: a client that knows
 * nothing but the fingerprint of the CA has to get it from somewhere.
 */
export async function issueServingCertificate(
  authority: KeyPair,
  { names, nowMs }: IssueOptions,
): Promise<KeyPair> {
  const issuer = new X509Certificate(authority.cert);
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.create({
    subject: "CN=Bowline server",
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm: algorithm,
    notBefore: new Date(nowMs - clockSkewMs),
    notAfter: new Date(Math.min(nowMs + servingDays * dayMs, issuer.notAfter.getTime())),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(names.map(({ type, value }) => ({ type, value }))),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return { cert: certificatePem(certificate) + authority.cert, key: await keyPem(keys.privateKey) };
}

function certificatePem(certificate: X509Certificate): string {
  return `${certificate.toString("pem").trim()}\n`;
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey("pkcs8", PemConverter.decodeFirst(pem), algorithm, false, ["sign"]);
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  const pem = PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
  return `${pem.trim()}\n`;
}
