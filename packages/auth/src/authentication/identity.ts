import type { Role, Session, Token, User } from "@bowline/api";
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
  /** Name of the Session, for a browser that signed in. */
  readonly session?: string;
  /** The claims of the issuer, for a session that is made of them: its JWT does not last. */
  readonly claimed?: Claimed;
  /** When their bearer stops working. */
  readonly expiresAtMs?: number;
  /** The same of the Token that a session stands on. */
  readonly tokenExpiresAtMs?: number;
}

/** The role and groups that the issuer gives somebody, without those that a User here adds. */
interface Claimed {
  readonly role?: Role | undefined;
  readonly groups: readonly string[];
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
  /** The same of the Session, if it was one. */
  readonly session?: { readonly name: string; readonly id: string; readonly fingerprint: string };
  /** How long it may be left unused; missing for as long as one likes. */
  readonly idleMs?: number;
  /** When the Session, or else the Token, was last used, as the database knows it. */
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

/** The same for a Session: its use is no part of it. */
export function sessionFingerprint({ metadata, spec, status }: Session): string {
  return JSON.stringify([metadata.id, metadata.deletedAt, spec, status.startedAt]);
}
