import { webcrypto } from "node:crypto";
// The generator is built on a dependency container that wants this first.
import "reflect-metadata";
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type X509Certificate,
} from "@peculiar/x509";

/** A certificate with its private key, as PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface IssueOptions {
  readonly commonName: string;
  /** Default `localhost` and `127.0.0.1`. */
  readonly hosts?: readonly string[];
  readonly notAfter?: Date;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const dayMs = 86_400_000;

/** A certificate authority that exists only in this test. */
export class TestAuthority {
  readonly cert: string;
  readonly #certificate: X509Certificate;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair) {
    this.#certificate = certificate;
    this.#keys = keys;
    this.cert = certificate.toString("pem");
  }

  static async create(commonName = "test-ca"): Promise<TestAuthority> {
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: `CN=${commonName}`,
      keys,
      signingAlgorithm: algorithm,
      notBefore: new Date(Date.now() - dayMs),
      notAfter: new Date(Date.now() + 365 * dayMs),
      extensions: [new BasicConstraintsExtension(true, 1, true)],
    });
    return new TestAuthority(certificate, keys);
  }

  async issue({
    commonName,
    hosts = ["localhost", "127.0.0.1"],
    notAfter,
  }: IssueOptions): Promise<TestCertificate> {
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
    const until = notAfter ?? new Date(Date.now() + 30 * dayMs);
    const certificate = await X509CertificateGenerator.create({
      subject: `CN=${commonName}`,
      issuer: this.#certificate.subject,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: algorithm,
      // Also of one that has ended, and never in the future.
      notBefore: new Date(Math.min(Date.now() - dayMs, until.getTime() - 60 * dayMs)),
      notAfter: until,
      extensions: [
        new SubjectAlternativeNameExtension(
          hosts.map((value) => ({ type: /^[\d.]+$/.test(value) ? "ip" : "dns", value })),
        ),
      ],
    });
    const key = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
    return { cert: certificate.toString("pem"), key: pemOf(key) };
  }
}

function pemOf(key: ArrayBuffer): string {
  const lines =
    Buffer.from(key)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`;
}
