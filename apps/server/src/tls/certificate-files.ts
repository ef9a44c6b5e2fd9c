import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";

import { BowlineError, type Clock } from "@bowline/core";

import type { CertificateSource } from "./certificate-source.ts";
import type { KeyPair } from "@bowline/tls";

export interface CertificateFilesOptions {
  readonly certFile: string;
  readonly keyFile: string;
  readonly clock: Pick<Clock, "now">;
}

/**
 * The certificate that the operator gives. The files are read again and again rather than watched: a Secret that is
 * mounted into a pod changes by a link that is swapped, which not every file system tells of.
 */
export class CertificateFiles implements CertificateSource {
  readonly refreshMs = 10_000;
  readonly #options: CertificateFilesOptions;
  #current: KeyPair;

  /** `InvalidArgument` and `CertificateExpired` say which file is wrong, and how. */
  static async open(options: CertificateFilesOptions): Promise<CertificateFiles> {
    const pair = await read(options);
    check(pair, options);
    return new CertificateFiles(options, pair);
  }

  private constructor(options: CertificateFilesOptions, current: KeyPair) {
    this.#options = options;
    this.#current = current;
  }

  get current(): KeyPair {
    return this.#current;
  }

  async refresh(): Promise<boolean> {
    const pair = await read(this.#options);
    if (pair.cert === this.#current.cert && pair.key === this.#current.key) return false;
    check(pair, this.#options);
    this.#current = pair;
    return true;
  }
}

async function read({ certFile, keyFile }: CertificateFilesOptions): Promise<KeyPair> {
  return { cert: await readPem(certFile), key: await readPem(keyFile) };
}

async function readPem(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw wrong(`The file ${file} cannot be read`, error);
  }
}

function check({ cert, key }: KeyPair, { certFile, keyFile, clock }: CertificateFilesOptions): void {
  const certificate = parsed(() => new X509Certificate(cert), `${certFile} holds no certificate in PEM form`);
  const privateKey = parsed(() => createPrivateKey(key), `${keyFile} holds no private key in PEM form`);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw wrong(`The key in ${keyFile} does not belong to the certificate in ${certFile}`);
  }
  const now = new Date(clock.now());
  if (now >= certificate.validFromDate && now < certificate.validToDate) return;
  const state = now < certificate.validFromDate ? "begins" : "ended";
  const at = now < certificate.validFromDate ? certificate.validFromDate : certificate.validToDate;
  throw new BowlineError(
    "CertificateExpired",
    `The certificate in ${certFile} ${state} on ${at.toISOString()}; renew it, or check the clock of this machine.`,
  );
}

function parsed<T>(parse: () => T, problem: string): T {
  try {
    return parse();
  } catch (error) {
    throw wrong(problem, error);
  }
}

function wrong(problem: string, cause?: unknown): BowlineError {
  return new BowlineError("InvalidArgument", `${problem}; check --tls-cert-file and --tls-key-file.`, {
    cause,
  });
}
