/** The furthest time that a Date can hold. */
const maxTimeMs = 8.64e15;

/**
 * When a token stops working, if it is a JWT and says so. Nothing is verified: that is up to the server. A token of
 * Bowline does not tell.
 */
export function jwtExpiry(token: string): number | undefined {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return undefined;
  const claims = parse(Buffer.from(payload, "base64url").toString());
  if (typeof claims !== "object" || claims === null || !("exp" in claims)) return undefined;
  const { exp } = claims;
  if (typeof exp !== "number" || !(Math.abs(exp * 1000) <= maxTimeMs)) return undefined;
  return exp * 1000;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
