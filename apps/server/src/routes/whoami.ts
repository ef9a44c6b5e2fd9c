import type { Whoami } from "@bowline/api";

import type { Identity } from "@bowline/auth";

/** An identity as the API tells it. */
export function whoami({ user, role, groups, method, token, expiresAtMs }: Identity): Whoami {
  return {
    user,
    role,
    groups: [...groups],
    method,
    ...(token === undefined ? {} : { token }),
    ...(expiresAtMs === undefined ? {} : { expiresAt: new Date(expiresAtMs).toISOString() }),
  };
}
