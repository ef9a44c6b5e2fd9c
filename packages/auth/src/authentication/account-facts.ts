import type { Token, User } from "@bowline/api";

/**
 * The parts of objects that authentication depends on, as text to compare. Other changes, such as the time of the last
 * use, leave what is remembered as it is.
 */
export function userFacts({ metadata, spec }: User): string {
  return JSON.stringify([metadata.id, metadata.deletedAt, spec.role, spec.groups, spec.disabled]);
}

export function tokenFacts({ metadata, spec, status }: Token): string {
  return JSON.stringify([
    metadata.id,
    metadata.deletedAt,
    spec.user,
    spec.role,
    spec.expiresAt,
    status.revokedAt,
  ]);
}
