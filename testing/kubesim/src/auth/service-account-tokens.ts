import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  verify,
  type KeyObject,
} from "node:crypto";

import { isRecord } from "@bowline/core";

import { readString, type JsonRecord } from "../store/json-value.ts";

/** What a token says, once its signature is checked. */
export interface TokenClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly namespace: string;
  readonly accountName: string;
  readonly accountUid: string;
  /** Seconds since 1970; tokens in Secrets never expire. */
  readonly expiresAt?: number;
  readonly secretName?: string;
}

export interface TokenRequest {
  readonly namespace: string;
  readonly accountName: string;
  readonly accountUid: string;
  readonly audiences: readonly string[];
  readonly issuedAtSeconds: number;
  readonly lifetimeSeconds: number;
  readonly boundObject?: { readonly kind: string; readonly name: string; readonly uid: string };
}

const issuer = "https://kubernetes.default.svc.cluster.local";

/** Who tokens are for unless the request says otherwise: the API server itself. */
export const defaultAudience = issuer;

/** Signs and reads ServiceAccount tokens with a key that lives as long as the server. */
export class ServiceAccountTokens {
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;

  constructor() {
    // An elliptic curve key is made in a millisecond; RSA would take a good part of the start.
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#privateKey = createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" }));
    this.#publicKey = createPublicKey(this.#privateKey);
  }

  /** A token for a limited time, as the TokenRequest API gives out. */
  issue(request: TokenRequest): { readonly token: string; readonly expiresAtSeconds: number } {
    const expiresAtSeconds = request.issuedAtSeconds + request.lifetimeSeconds;
    const bound = request.boundObject;
    const token = this.#sign({
      aud: request.audiences,
      exp: expiresAtSeconds,
      iat: request.issuedAtSeconds,
      iss: issuer,
      jti: randomUUID(),
      "kubernetes.io": {
        namespace: request.namespace,
        serviceaccount: { name: request.accountName, uid: request.accountUid },
        ...(bound ? { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } } : {}),
      },
      nbf: request.issuedAtSeconds,
      sub: `system:serviceaccount:${request.namespace}:${request.accountName}`,
    });
    return { token, expiresAtSeconds };
  }

  /** The token of a Secret of type `kubernetes.io/service-account-token`: valid as long as the Secret is there. */
  issueForSecret(account: { namespace: string; name: string; uid: string }, secretName: string): string {
    return this.#sign({
      iss: "kubernetes/serviceaccount",
      "kubernetes.io/serviceaccount/namespace": account.namespace,
      "kubernetes.io/serviceaccount/secret.name": secretName,
      "kubernetes.io/serviceaccount/service-account.name": account.name,
      "kubernetes.io/serviceaccount/service-account.uid": account.uid,
      sub: `system:serviceaccount:${account.namespace}:${account.name}`,
    });
  }

  /** The claims of a token that this server signed, or undefined. Expiry is the caller's to judge. */
  read(token: string): TokenClaims | undefined {
    const [head, body, signature, ...rest] = token.split(".");
    if (!head || !body || !signature || rest.length > 0) return undefined;
    const signed = Buffer.from(`${head}.${body}`);
    const key = { key: this.#publicKey, dsaEncoding: "ieee-p1363" } as const;
    if (!verify("sha256", signed, key, Buffer.from(signature, "base64url"))) return undefined;
    const payload: unknown = JSON.parse(Buffer.from(body, "base64url").toString("utf8"));
    return isRecord(payload) ? claimsOf(payload) : undefined;
  }

  #sign(payload: JsonRecord): string {
    const encode = (value: JsonRecord): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const signed = `${encode({ alg: "ES256", typ: "JWT" })}.${encode(payload)}`;
    const signature = sign("sha256", Buffer.from(signed), {
      key: this.#privateKey,
      dsaEncoding: "ieee-p1363",
    });
    return `${signed}.${signature.toString("base64url")}`;
  }
}

function claimsOf(payload: JsonRecord): TokenClaims {
  const bound = payload["kubernetes.io"];
  const secretName = payload["kubernetes.io/serviceaccount/secret.name"];
  const audiences = payload["aud"];
  return {
    issuer: String(payload["iss"]),
    subject: String(payload["sub"]),
    audiences: Array.isArray(audiences) ? audiences.map(String) : [],
    namespace: readString(bound, "namespace") ?? String(payload["kubernetes.io/serviceaccount/namespace"]),
    accountName:
      readString(bound, "serviceaccount.name") ??
      String(payload["kubernetes.io/serviceaccount/service-account.name"]),
    accountUid:
      readString(bound, "serviceaccount.uid") ??
      String(payload["kubernetes.io/serviceaccount/service-account.uid"]),
    ...(typeof payload["exp"] === "number" ? { expiresAt: payload["exp"] } : {}),
    ...(typeof secretName === "string" ? { secretName } : {}),
  };
}
