import type { Role } from "@bowline/api";

/** Who makes a request. */
export interface Identity {
  /** Name of the User. */
  readonly user: string;
  /** What they may do: their own role, or the narrower one of their token. */
  readonly role: Role;
  readonly groups: readonly string[];
  readonly method: "token" | "oidc";
  /** Name of the Token they used, if it was one. */
  readonly token?: string;
  /** The most their Token may ever do, if it says so: whatever becomes of the user, and what it makes, stays below. */
  readonly tokenRole?: Role;
  /** When what they showed stops working. */
  readonly expiresAtMs?: number;
}
