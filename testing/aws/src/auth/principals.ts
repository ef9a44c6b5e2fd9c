import { randomBytes } from "node:crypto";

import type { Clock } from "@bowline/core";

import { AwsFailure } from "../aws-failure.ts";
import type { PolicyDocument } from "./policy.ts";
import type { Signature } from "./signature.ts";

export interface Principal {
  /** As `GetCallerIdentity` tells it. */
  readonly arn: string;
  readonly userId: string;
  /** Missing for one that may do anything. */
  readonly policies?: readonly PolicyDocument[];
}

export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

interface KnownKey extends AccessKey {
  readonly principal: Principal;
  readonly endsAtMs: number;
}

/** Signatures older or newer than this are refused. */
const skewLimitMs = 5 * 60_000;

/** Whose keys there are, and until when. */
export class Principals {
  readonly #keys = new Map<string, KnownKey>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `endsAtMs` is that of the manual clock. */
  addKey(principal: Principal, endsAtMs = Infinity, own: Partial<AccessKey> = {}): AccessKey {
    const isSession = endsAtMs !== Infinity;
    const key: KnownKey = {
      accessKeyId: `${isSession ? "ASIA" : "AKIA"}${randomBytes(8).toString("hex").toUpperCase()}`,
      secretAccessKey: randomBytes(30).toString("base64url"),
      ...(isSession ? { sessionToken: randomBytes(60).toString("base64url") } : {}),
      ...own,
      principal,
      endsAtMs,
    };
    this.#keys.set(key.accessKeyId, key);
    const { accessKeyId, secretAccessKey, sessionToken } = key;
    return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  }

  removeKey(accessKeyId: string): void {
    this.#keys.delete(accessKeyId);
  }

  /** Ends all sessions now; keys of users stay. */
  endSessions(): void {
    for (const [id, key] of this.#keys) {
      if (key.sessionToken !== undefined) this.#keys.set(id, { ...key, endsAtMs: this.#clock.now() });
    }
  }

  /** `serverTimeMs` is real time, as signers have no other. */
  identify(signature: Signature | undefined, serverTimeMs: number): Principal {
    if (signature === undefined) {
      throw new AwsFailure("MissingAuthenticationToken", "Request is missing Authentication Token", 403);
    }
    const key = this.#keys.get(signature.accessKeyId);
    if (key === undefined || key.sessionToken !== signature.sessionToken) {
      throw new AwsFailure(
        "InvalidClientTokenId",
        "The security token included in the request is invalid",
        403,
      );
    }
    // A NaN is not within the limit either.
    if (!(Math.abs(signature.signedAtMs - serverTimeMs) <= skewLimitMs)) {
      throw new AwsFailure("RequestTimeTooSkewed", "Signature expired or not yet valid", 403);
    }
    if (!signature.isMadeWith(key.secretAccessKey)) {
      throw new AwsFailure(
        "SignatureDoesNotMatch",
        "The request signature we calculated does not match",
        403,
      );
    }
    if (key.endsAtMs <= this.#clock.now()) {
      throw new AwsFailure("ExpiredToken", "The security token included in the request is expired", 403);
    }
    return key.principal;
  }
}
