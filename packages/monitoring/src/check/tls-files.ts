import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";

import type { MountedFile, Pem } from "./scope.ts";

interface TlsFiles {
  readonly ca: MountedFile | undefined;
  readonly cert: MountedFile | undefined;
  readonly key: MountedFile | undefined;
}

const problems: Readonly<Record<PairProblem, readonly [problem: string, fix: string]>> = {
  certificate: ["does not begin with a certificate in PEM", "Put the certificate there, as PEM."],
  key: [
    "is no private key in PEM that a collector can read",
    "Put an RSA, ECDSA or Ed25519 key there, as PEM without a password.",
  ],
  pair: ["does not belong to the certificate", "Put the key there that the certificate was made for."],
};

/** Files that Prometheus reads when it loads the configuration: with a bad one in a remote write it does not start. */
export function checkTlsFiles({ ca, cert, key }: TlsFiles): void {
  if (ca?.content !== undefined && !hasCertificate(ca.content)) {
    ca.reject("has no certificate in PEM", "Put the certificate of the authority there, as PEM.");
  }
  const found = pairProblem(cert?.content, key?.content);
  if (found !== undefined) (found === "certificate" ? cert : key)?.reject(...problems[found]);
}

/** The part of a certificate and its key that is wrong, or that the two do not belong together. */
type PairProblem = "certificate" | "key" | "pair";

/** Whether a collector finds an authority in it: of a bundle it takes what it can read, and needs one. */
function hasCertificate(pem: Pem): boolean {
  return bundles.get([pem], () => certificatesOf(pem).some((block) => readCertificate(block) !== undefined));
}

/** Why a collector would refuse a certificate, the first of its chain, and its key; either may be unknown. */
export function pairProblem(cert: Pem | undefined, key: Pem | undefined): PairProblem | undefined {
  return pairs.get([cert, key], () => {
    const certificate = cert === undefined ? undefined : readCertificate(certificatesOf(cert)[0]);
    const privateKey = key === undefined ? undefined : readPrivateKey(key);
    if (cert !== undefined && certificate === undefined) return "certificate";
    if (key !== undefined && privateKey === undefined) return "key";
    if (certificate === undefined || privateKey === undefined) return undefined;
    return certificate.checkPrivateKey(privateKey) ? undefined : "pair";
  });
}

/**
 * Results of looking at certificates and keys. Every rendering asks the same, and reading a key takes a hundred times as long as
 * hashing it. No text is kept: it may be a secret.
 */
class PemCache<Result> {
  readonly #known = new Map<string, { readonly result: Result }>();

  get(texts: readonly (Pem | undefined)[], compute: () => Result): Result {
    const id = texts.map((text) => text?.hash ?? "").join(" ");
    const known = this.#known.get(id) ?? { result: compute() };
    this.#known.set(id, known);
    if (this.#known.size > maxCached) this.#known.delete(this.#known.keys().next().value ?? "");
    return known.result;
  }
}

/** Enough for as many monitors with certificates of their own. */
const maxCached = 10_000;
const bundles = new PemCache<boolean>();
const pairs = new PemCache<PairProblem | undefined>();

interface Block {
  readonly label: string;
  /** With the lines around it. */
  readonly text: string;
}

/** Looking at more of them before one can be read would waste everybody's time. */
const maxBlocks = 100;
const begin = "-----BEGIN ";

/** The first blocks of a text, whatever is between them. A regular expression would take for ever on some texts. */
function blocksOf({ text }: Pem): Block[] {
  const blocks: Block[] = [];
  let start = text.indexOf(begin);
  for (let tried = 0; start !== -1 && tried < maxBlocks; tried++) {
    const label = text.slice(start + begin.length, text.indexOf("-----", start + begin.length));
    const end = `-----END ${label}-----`;
    const endAt = text.indexOf(end, start);
    if (endAt !== -1) blocks.push({ label, text: text.slice(start, endAt + end.length) });
    start = text.indexOf(begin, endAt === -1 ? start + begin.length : endAt);
  }
  return blocks;
}

function certificatesOf(pem: Pem): Block[] {
  return blocksOf(pem).filter(({ label }) => label === "CERTIFICATE");
}

function readCertificate(block: Block | undefined): X509Certificate | undefined {
  try {
    return block === undefined ? undefined : new X509Certificate(block.text);
  } catch {
    return undefined;
  }
}

/** Keys that Go reads, in which collectors are written. */
const keyTypes = new Set<unknown>(["rsa", "ec", "ed25519"]);
const curves = new Set<unknown>([undefined, "secp224r1", "prime256v1", "secp384r1", "secp521r1"]);

function readPrivateKey(pem: Pem): KeyObject | undefined {
  const block = blocksOf(pem).find(({ label }) => label.endsWith("PRIVATE KEY"));
  if (block === undefined) return undefined;
  try {
    const key = createPrivateKey(block.text);
    const isRead = keyTypes.has(key.asymmetricKeyType) && curves.has(key.asymmetricKeyDetails?.namedCurve);
    return isRead ? key : undefined;
  } catch {
    return undefined;
  }
}
