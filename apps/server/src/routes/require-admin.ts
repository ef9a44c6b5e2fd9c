import { BowlineError } from "@bowline/core";
import type { FastifyRequest } from "fastify";

import { identityOf } from "../http/admission.ts";

/** `Forbidden` for everybody else. */
export function requireAdmin(request: FastifyRequest, what: string): void {
  const { user, role } = identityOf(request);
  if (role === "admin") return;
  throw new BowlineError(
    "Forbidden",
    `You may not ${what}: you are "${user}" with the role ${role}, and it takes the role admin.`,
  );
}
