import { randomUUID } from "node:crypto";

import { BowlineError, type Clock, type RandomBytes } from "@bowline/core";
import type { Installation } from "@bowline/store";
import { errors, jwtVerify, SignJWT, type JWTPayload } from "jose";

import { SeenTokens } from "../identity/agent-token.ts";

const installationName = "replica-secret";
const secretBytes = 32;

/** The secret that replicas recognise each other by. The first one makes it up; the database keeps it, encrypted. */
export async function replicaSecret(
  installation: Installation,
  randomBytes: RandomBytes,
): Promise<Uint8Array> {
  const kept =
    (await installation.recall(installationName)) ??
    (await installation.remember(
      installationName,
      Buffer.from(randomBytes(secretBytes)).toString("base64url"),
    ));
  return Buffer.from(kept, "base64url");
}

export interface ReplicaTokensOptions {
  /** Known to all replicas of the installation, and to nobody else. */
  readonly secret: Uint8Array;
  /** Names this replica. */
  readonly self: string;
  readonly clock: Pick<Clock, "now">;
}

const lifetimeSeconds = 30;
/** How far the clocks of replicas may be apart. */
const skewSeconds = 60;
const algorithm = "HS256";

/** Tokens that replicas prove themselves to each other with, each for one call at one replica. */
export class ReplicaTokens {
  readonly #options: ReplicaTokensOptions;
  readonly #seen = new SeenTokens();

  constructor(options: ReplicaTokensOptions) {
    this.#options = options;
  }

  sign(replica: string): Promise<string> {
    const { secret, self, clock } = this.#options;
    const iat = Math.floor(clock.now() / 1000);
    const claims = { iss: self, aud: replica, iat, exp: iat + lifetimeSeconds, jti: randomUUID() };
    return new SignJWT(claims).setProtectedHeader({ alg: algorithm }).sign(secret);
  }

  /** Resolves to the replica that calls; `Unauthorized` when it is none, or calls another. */
  async verify(authorization: string | undefined): Promise<string> {
    const token = authorization?.replace(/^Bearer /u, "") ?? "";
    const { iss = "", jti = "", exp = 0 } = await this.#claimsIn(token);
    const endMs = (exp + skewSeconds) * 1000;
    if (this.#seen.use(`${iss} ${jti}`, endMs, this.#options.clock.now())) return iss;
    throw refused("The token of the replica was used before.");
  }

  async #claimsIn(token: string): Promise<JWTPayload> {
    const { secret, self, clock } = this.#options;
    try {
      const { payload } = await jwtVerify(token, secret, {
        algorithms: [algorithm],
        audience: self,
        requiredClaims: ["iss", "iat", "exp", "jti"],
        maxTokenAge: lifetimeSeconds,
        clockTolerance: skewSeconds,
        currentDate: new Date(clock.now()),
      });
      return payload;
    } catch (error) {
      const aheadSeconds = secondsAhead(error, clock.now());
      if (aheadSeconds === undefined) {
        throw refused("The call needs a token that a replica of this installation has made for it.", error);
      }
      const apart = `${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? "ahead of" : "behind"}`;
      throw refused(
        `The clock of the replica that calls is ${apart} this one's; set the clock that is wrong.`,
        error,
      );
    }
  }
}

/** How far the clock is ahead by which a token was made, where its time is all that is wrong with it. */
function secondsAhead(error: unknown, nowMs: number): number | undefined {
  const isAboutTime =
    error instanceof errors.JWTExpired ||
    (error instanceof errors.JWTClaimValidationFailed && error.claim === "iat");
  const { iat } = isAboutTime ? error.payload : {};
  return iat === undefined ? undefined : Math.round(iat - nowMs / 1000);
}

function refused(message: string, cause?: unknown): BowlineError {
  return new BowlineError("Unauthorized", message, { cause });
}
