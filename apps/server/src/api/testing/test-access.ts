import {
  AccessGrant,
  Token,
  User,
  WorkloadPlacement,
  type FieldRequirement,
  type Kind,
  type Role,
} from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { Access, Issued, ObjectChange, Verb, Identity } from "@bowline/auth";
import type { DesiredWrite } from "@bowline/store";

const roles: Readonly<Record<string, Role>> = {
  operator: "admin",
  editor: "editor",
  viewer: "viewer",
  deputy: "viewer",
};
const reads: ReadonlySet<Verb> = new Set(["get", "list", "watch"]);

/**
 * Access for tests of the API: the bearer token is the name of the user. Viewers read, editors also write, except for
 * what is the admins'; nobody but admins sees tokens of others.
 */
export class TestAccess implements Access {
  /** Every call of `inEffect`, as `Kind/resourceVersion`. */
  readonly awaited: string[] = [];
  /** The promise that `inEffect` waits for. */
  effect: Promise<void> = Promise.resolve();
  readonly #end = new AbortController();
  #issued = 0;

  authenticate(authorization: string | undefined): Identity | Promise<Identity> {
    const [scheme, token = ""] = authorization?.split(" ") ?? [];
    const user = token.replace(/^slow-/u, "");
    const identity = identityOf(scheme === "Bearer" ? user : "");
    return user === token ? identity : Promise.resolve(identity);
  }

  authenticateSession(secret: string): Identity | Promise<Identity> {
    return { ...identityOf(secret), session: `s-${secret}` };
  }

  ended(): AbortSignal {
    return this.#end.signal;
  }

  /** Revokes everybody. */
  revoke(why = new BowlineError("Unauthorized", "The token was revoked.")): void {
    this.#end.abort(why);
  }

  allow({ role, user }: Identity, verb: Verb, kind: Kind): void {
    if (role === "admin" || reads.has(verb)) return;
    const isForAdmins =
      kind === AccessGrant || kind === User || kind === WorkloadPlacement || verb === "update-status";
    if (role === "editor" && !isForAdmins) return;
    throw new BowlineError("Forbidden", `The role of ${user} does not allow to ${verb} ${kind.plural}.`);
  }

  allowObject(identity: Identity, _verb: Verb, kind: Kind, { current, desired }: ObjectChange): void {
    if (kind !== Token || identity.role === "admin") return;
    const isOwn = (object: { readonly spec: object } | undefined): boolean =>
      object === undefined || Reflect.get(object.spec, "user") === identity.user;
    if (isOwn(current) && isOwn(desired)) return;
    throw new BowlineError("Forbidden", "Only your own tokens are for you.");
  }

  visible(identity: Identity, kind: Kind): readonly FieldRequirement[] {
    const field = kind.filterable.find(({ text }) => text === "spec.user");
    if (kind !== Token || identity.role === "admin" || field === undefined) return [];
    return [{ field, operator: "=", value: identity.user }];
  }

  issue<K extends Kind>(_: Identity, kind: K, desired: DesiredWrite<K>): Issued<K> {
    if (kind.kind !== Token.kind) return { desired };
    this.#issued += 1;
    const secret = `issued-secret-${this.#issued}`;
    return { desired: { ...desired, lookupKey: `hash-of-${secret}` }, onlyInAnswer: { secret } };
  }

  async inEffect(kind: Kind, resourceVersion: string): Promise<void> {
    this.awaited.push(`${kind.kind}/${resourceVersion}`);
    await this.effect;
  }
}

function identityOf(user: string): Identity {
  const role = roles[user];
  if (role === undefined) throw new BowlineError("Unauthorized", "The token is unknown; log in again.");
  return { user, role, groups: [], method: "token", token: `${user}-token` };
}
