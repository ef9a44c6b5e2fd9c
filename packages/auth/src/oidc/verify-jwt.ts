import { BowlineError, type Clock } from "@bowline/core";
import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from "jose";

import { unauthorized } from "../tokens/bearer.ts";

export interface VerifyJwtOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly findKey: JWTVerifyGetKey;
  readonly clock: Pick<Clock, "now">;
}

/** Only signatures that nobody can make who knows the public keys. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** How far the issuer's clock and ours may be apart. */
export const clockSkewMs = 30_000;

/** The claims of a JWT that the issuer has signed, for us and for now. `Unauthorized` for any other. */
export async function verifyJwt(jwt: string, options: VerifyJwtOptions): Promise<JWTPayload> {
  const { issuer, clientId, findKey, clock } = options;
  const limits = {
    issuer,
    audience: clientId,
    algorithms,
    clockTolerance: clockSkewMs / 1_000,
    currentDate: new Date(clock.now()),
    requiredClaims: ["exp"],
  };
  try {
    return await verifyWithAny(jwt, findKey, limits);
  } catch (error) {
    throw refusalOf(error);
  }
}

type Limits = NonNullable<Parameters<typeof jwtVerify>[2]>;

/** A JWT need not name its key: then each that could be it is tried. */
async function verifyWithAny(jwt: string, findKey: JWTVerifyGetKey, limits: Limits): Promise<JWTPayload> {
  try {
    return (await jwtVerify(jwt, findKey, limits)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return (await jwtVerify(jwt, key, limits)).payload;
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** Without the cause: it holds the claims. */
function refusalOf(error: unknown): BowlineError {
  if (error instanceof BowlineError) return error;
  if (error instanceof errors.JWTExpired) return unauthorized("The JWT has expired; sign in again.");
  if (error instanceof errors.JWTClaimValidationFailed) return unauthorized(claimProblem(error.claim));
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return unauthorized(
      "The JWT is signed in a way that is not accepted; use an asymmetric algorithm such as RS256.",
    );
  if (error instanceof errors.JWKSNoMatchingKey)
    return unauthorized("The JWT is signed with a key that the OIDC issuer does not publish.");
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return unauthorized("The signature of the JWT is wrong.");
  return unauthorized("The JWT is malformed.");
}

function claimProblem(claim: string): string {
  switch (claim) {
    case "iss":
      return "The JWT is from an issuer that this server does not trust.";
    case "aud":
      return "The JWT is for another audience than this server's OIDC client id.";
    case "nbf":
      return "The JWT is not valid yet; check the clocks.";
    default:
      return `The claim "${claim}" of the JWT is missing or wrong.`;
  }
}
