/** From least to most: each may do what those before it may. */
export const roles = ["viewer", "editor", "admin"] as const;
export type Role = (typeof roles)[number];

/** The lesser of two roles: a token can narrow what its user may do, never widen it. */
export function narrowerRole(a: Role, b: Role): Role {
  return roles.indexOf(a) <= roles.indexOf(b) ? a : b;
}
