import { User, type ConfigSource } from "@bowline/api";
import { narrower, type Identity } from "@bowline/auth";
import type { ObjectStore } from "@bowline/store";

import { ConfigRefused } from "./config-problem.ts";

/**
 * The user that a source acts as, as they are now, and never with more than whoever wrote the source had: somebody with
 * a token that may do little cannot have it do what the user might. Who is known by the issuer only is taken as they were
 * when they wrote it.
 */
export async function actingIdentity(
  objects: Pick<ObjectStore, "get">,
  { spec: { actsAs }, status: { author } }: ConfigSource,
): Promise<Identity> {
  if (author === undefined) throw notAllowed("It is not known who wrote the source; apply it again");
  const isOwn = author.user === actsAs;
  const issued = isOwn && author.method === "oidc" ? author : undefined;
  const user = await objects.get(User, actsAs);
  if (user === undefined) {
    if (issued === undefined) throw notAllowed(`There is no user "${actsAs}" to act as; change spec.actsAs`);
    return { user: actsAs, role: author.role, groups: author.groups ?? [], method: "oidc" };
  }
  if (user.spec.disabled || user.metadata.deletedAt !== undefined) {
    throw notAllowed(`The user "${actsAs}" is disabled or being deleted; change spec.actsAs`);
  }
  return {
    user: actsAs,
    role: issued?.role ?? narrower(user.spec.role, author.role),
    groups: [...new Set([...user.spec.groups, ...(issued?.groups ?? [])])],
    method: issued === undefined ? "token" : "oidc",
  };
}

function notAllowed(message: string): ConfigRefused {
  return new ConfigRefused([{ reason: "NotAllowed", message }]);
}
