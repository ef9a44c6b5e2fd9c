import { createPrivateKey, X509Certificate } from "node:crypto";

import type { DeepReadonly } from "@bowline/core";

import type { Secret } from "../model/snapshot.ts";

/** What a listener shows, as PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface ServedCertificate extends KeyPair {
  /** `namespace/name` of the Secret it is from. */
  readonly secret: string;
}

/** The certificate of a Secret and its private key; undefined unless both can be read and belong together. */
export function readKeyPair({ data = {} }: DeepReadonly<Secret>): KeyPair | undefined {
  const [cert, key] = ["tls.crt", "tls.key"].map((name) =>
    Buffer.from(data[name] ?? "", "base64").toString("utf8"),
  );
  if (cert === undefined || key === undefined) return undefined;
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined;
  } catch {
    // Neither says more than that this is no certificate, or no key.
    return undefined;
  }
}
