import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { isIPv4 } from "node:net";

import * as der from "./der.ts";

export interface KeyAndCertificate {
  /** PEM. */
  readonly key: string;
  /** PEM. */
  readonly cert: string;
}

const dayMs = 86_400_000;
const validityDays = 3650;
const ecdsaWithSha256 = der.sequence(der.objectIdentifier("1.2.840.10045.4.3.2"));
const serverNames = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];
const serverAddresses = ["127.0.0.1", "10.96.0.1"];
const serverUsage = "1.3.6.1.5.5.7.3.1";
const clientUsage = "1.3.6.1.5.5.7.3.2";

interface Subject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/**
 * A certificate authority in memory. Certificates are encoded right here: there are two shapes of them, and a library
 * would take more of the start than everything else together.
 */
export class CertificateAuthority {
  readonly cert: string;
  readonly #key: KeyObject;
  readonly #nowMs: number;
  readonly #subject: Subject = { commonName: "kubesim", organizations: [] };
  #serial = 0;

  constructor(nowMs: number) {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#key = privateKey;
    this.#nowMs = nowMs;
    this.cert = this.#issue(this.#subject, publicKey, [
      extension("2.5.29.19", true, der.sequence(der.boolean(true))),
      // digitalSignature and keyCertSign
      extension("2.5.29.15", true, der.bitString(Buffer.from([0x84]), 2)),
    ]);
  }

  /** For the API server itself, under every name it is reached by. */
  issueServer(host: string): KeyAndCertificate {
    const addresses = [...new Set(isIPv4(host) ? [host, ...serverAddresses] : serverAddresses)];
    const names = [...new Set(isIPv4(host) ? serverNames : [host, ...serverNames])];
    const alternatives = der.sequence(
      ...names.map((name) => der.implicit(2, Buffer.from(name, "ascii"))),
      ...addresses.map((address) => der.implicit(7, Buffer.from(address.split(".").map(Number)))),
    );
    return this.#issueWithKey({ commonName: "kube-apiserver", organizations: [] }, [
      usage(serverUsage),
      extension("2.5.29.17", false, alternatives),
    ]);
  }

  /** For a client; its name and groups are the common name and the organizations. */
  issueClient(name: string, groups: readonly string[]): KeyAndCertificate {
    return this.#issueWithKey({ commonName: name, organizations: groups }, [usage(clientUsage)]);
  }

  #issueWithKey(subject: Subject, extensions: readonly Buffer[]): KeyAndCertificate {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    return { key, cert: this.#issue(subject, publicKey, extensions) };
  }

  #issue(subject: Subject, publicKey: KeyObject, extensions: readonly Buffer[]): string {
    this.#serial += 1;
    const content = der.sequence(
      der.explicit(0, der.integer(2)),
      der.integer(this.#serial),
      ecdsaWithSha256,
      distinguishedName(this.#subject),
      der.sequence(der.time(this.#nowMs - dayMs), der.time(this.#nowMs + validityDays * dayMs)),
      distinguishedName(subject),
      publicKey.export({ type: "spki", format: "der" }),
      der.explicit(3, der.sequence(...extensions)),
    );
    const certificate = der.sequence(
      content,
      ecdsaWithSha256,
      der.bitString(sign("sha256", content, this.#key)),
    );
    const base64 = certificate
      .toString("base64")
      .replaceAll(/(.{64})/g, "$1\n")
      .trimEnd();
    return `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`;
  }
}

function distinguishedName({ commonName, organizations }: Subject): Buffer {
  const part = (identifier: string, value: string): Buffer =>
    der.set(der.sequence(der.objectIdentifier(identifier), der.utf8String(value)));
  return der.sequence(...organizations.map((name) => part("2.5.4.10", name)), part("2.5.4.3", commonName));
}

function usage(identifier: string): Buffer {
  return extension("2.5.29.37", false, der.sequence(der.objectIdentifier(identifier)));
}

function extension(identifier: string, critical: boolean, value: Buffer): Buffer {
  const flag = critical ? [der.boolean(true)] : [];
  return der.sequence(der.objectIdentifier(identifier), ...flag, der.octetString(value));
}
