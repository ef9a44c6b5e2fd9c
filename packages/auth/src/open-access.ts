import { randomBytes as systemRandomBytes } from "node:crypto";

import { Token, User } from "@bowline/api";
import { systemClock, type Clock, type Random, type RandomBytes } from "@bowline/core";

import type { Store } from "@bowline/store";
import type { Access } from "./access.ts";
import { AccountChanges } from "./authentication/account-changes.ts";
import { Authenticator, type AuthenticatorLimits } from "./authentication/authenticator.ts";
import { unauthorized, type Bearer } from "./authentication/bearer.ts";
import type { Finding } from "./authentication/standing.ts";
import { ownOnly, requireAllowed, requireOwn } from "./authorization/authorize.ts";
import { requireWithinLimits } from "./authorization/token-limits.ts";
import { examineJwt } from "./oidc/examine-jwt.ts";
import { IssuerKeys } from "./oidc/issuer-keys.ts";
import { requireOidcSettings, type OidcSettings } from "./oidc/oidc-settings.ts";
import { examineToken } from "./tokens/examine-token.ts";
import { LastUseWriter } from "./tokens/last-use-writer.ts";
import { newTokenSecret } from "./tokens/token-secret.ts";
import { tokenWrite } from "./tokens/token-write.ts";

export interface AccessOptions {
  readonly store: Pick<Store, "objects" | "changes">;
  /** The issuer whose JWTs are accepted; missing for none. */
  readonly oidc?: OidcSettings | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly randomBytes?: RandomBytes;
  /** How to reach the issuer. */
  readonly fetch?: typeof fetch;
  readonly limits?: Partial<AuthenticatorLimits>;
}

export interface OpenAccess extends Access {
  /** Ends every stream, and writes down what is left to write. Before the store is closed. */
  close(): Promise<void>;
}

/** An answer to a revocation waits for this long; then everything is forgotten, which is as safe and costs more. */
const inEffectLimitMs = 5_000;

/** Starts to follow who may do what. The caller closes it. */
export async function openAccess(options: AccessOptions): Promise<OpenAccess> {
  const { store, clock = systemClock, random = Math.random, randomBytes = systemRandomBytes } = options;
  const issuer = openIssuer(options, clock);
  const lastUses = new LastUseWriter({ objects: store.objects, clock });
  const authenticator = new Authenticator({
    clock,
    examine: { token: (bearer) => examineToken(store.objects, bearer), jwt: issuer.examine },
    isInformed: () => changes.isTrusted,
    onUse: (standing) => lastUses.note(standing),
    limits: options.limits ?? {},
  });
  const changes = new AccountChanges({
    changes: store.changes,
    clock,
    random,
    onChange: (change) => authenticator.changed(change),
    onLost: () => authenticator.forgetAll(),
  });
  await changes.start();
  return {
    authenticate: (authorization, connection) => authenticator.authenticate(authorization, connection),
    ended: (identity) => authenticator.ended(identity),
    allow: requireAllowed,
    allowObject(identity, verb, kind, change) {
      requireAllowed(identity, verb, kind);
      requireOwn(identity, kind, change);
      if (kind.kind === Token.kind) requireWithinLimits(identity, change);
    },
    visible: ownOnly,
    issue(_, kind, desired) {
      if (kind.kind !== Token.kind) return { desired };
      const secret = newTokenSecret(randomBytes);
      return { desired: tokenWrite(kind, desired, secret), onlyInAnswer: { secret } };
    },
    async inEffect(kind, resourceVersion) {
      if (kind.kind !== User.kind && kind.kind !== Token.kind) return;
      if (!(await changes.reached(resourceVersion, inEffectLimitMs))) authenticator.forgetAll();
    },
    async close() {
      issuer.close();
      await changes.close();
      await lastUses.close();
    },
  };
}

interface Issuer {
  readonly examine: (bearer: Bearer) => Promise<Finding>;
  close(): void;
}

function openIssuer(
  { oidc: settings, store, fetch = globalThis.fetch }: AccessOptions,
  clock: Clock,
): Issuer {
  if (settings === undefined) {
    const refusal =
      "This server accepts no JWTs, because no OIDC issuer is configured; use a token of Bowline.";
    return { examine: () => Promise.reject(unauthorized(refusal)), close: () => {} };
  }
  requireOidcSettings(settings);
  const keys = new IssuerKeys({ issuer: settings.issuer, fetch, clock });
  const options = { settings, findKey: keys.find, objects: store.objects, clock };
  return { examine: (bearer) => examineJwt(options, bearer), close: () => keys.close() };
}
