import { webcrypto } from "node:crypto";
// The generator is built on a dependency container that wants this first.
import "reflect-metadata";
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type X509Certificate,
} from "@peculiar/x509";

/** A certificate with its private key, as PEM; the certificate may be followed by the chain above it. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const dayMs = 86_400_000;

/** A certificate authority that exists only in this test. */
export class TestAuthority {
  readonly pem: string;
  readonly #certificate: X509Certificate;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair) {
    this.#certificate = certificate;
    this.#keys = keys;
    this.pem = `${certificate.toString("pem")}\n`;
  }

  static async create(commonName = "test authority"): Promise<TestAuthority> {
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

  /** A certificate for a server, with the authority's own behind it, as Bowline's server sends them. */
  async issue(options: { hosts?: readonly string[]; notAfter?: Date } = {}): Promise<TestCertificate> {
    const { hosts = ["localhost", "127.0.0.1"], notAfter = new Date(Date.now() + 30 * dayMs) } = options;
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
    const certificate = await X509CertificateGenerator.create({
      subject: "CN=test server",
      issuer: this.#certificate.subject,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: algorithm,
      notBefore: new Date(notAfter.getTime() - 60 * dayMs),
      notAfter,
      extensions: [
        new SubjectAlternativeNameExtension(
          hosts.map((value) => ({ type: /^[\d.]+$/.test(value) ? "ip" : "dns", value })),
        ),
      ],
    });
    const key = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
    const lines =
      Buffer.from(key)
        .toString("base64")
        .match(/.{1,64}/g) ?? [];
    return {
      cert: `${certificate.toString("pem")}\n${this.pem}`,
      key: `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`,
    };
  }
}
