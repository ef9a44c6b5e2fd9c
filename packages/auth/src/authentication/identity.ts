import type { Role, Token, User } from "@bowline/api";
import type { ErrorCode } from "@bowline/core";

/** The caller of a request, once authenticated. */
export interface Identity {
  /** Name of the User. */
  readonly user: string;
  /** The caller's own role, or the narrower one of their token. */
  readonly role: Role;
  readonly groups: readonly string[];
  readonly method: "token" | "oidc";
  /** Name of the Token they used, if it was one. */
  readonly token?: string;
  /** The most their Token may ever do, if it says so: whatever becomes of the user, and what it makes, stays below. */
  readonly tokenRole?: Role;
  /** When their bearer stops working. */
  readonly expiresAtMs?: number;
}

/** The outcome of authenticating a bearer, and the objects it follows from. */
export interface AuthenticationResult {
  /** Key of the bearer. */
  readonly key: string;
  readonly verdict: Verdict;
  /** The fingerprint of the User by which it was decided; undefined when there was none of that name. */
  readonly user: { readonly name: string; readonly fingerprint: string | undefined };
  /** The same of the Token, if it was one. */
  readonly token?: { readonly name: string; readonly id: string; readonly fingerprint: string };
  /** When the Token was last used, as the database knows it. */
  readonly lastUsedAtMs?: number;
  /** From then on the bearer has to be authenticated again; missing where every change is heard of. */
  readonly recheckAtMs?: number;
}

export type Verdict =
  | { readonly identity: Identity }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string } };

/**
 * The parts of a User that authentication depends on, as text to compare. Other changes leave a cached result as it is.
 */
export function userFingerprint({ metadata, spec }: User): string {
  return JSON.stringify([metadata.id, metadata.deletedAt, spec.role, spec.groups, spec.disabled]);
}

/** The same for a Token; the time of its last use is no part of it. */
export function tokenFingerprint({ metadata, spec, status }: Token): string {
  return JSON.stringify([
    metadata.id,
    metadata.deletedAt,
    spec.user,
    spec.role,
    spec.expiresAt,
    status.revokedAt,
  ]);
}
