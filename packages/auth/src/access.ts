import { randomBytes as systemRandomBytes } from "node:crypto";

import { Session, Token, User, type FieldRequirement, type Kind } from "@bowline/api";
import { systemClock, type Clock, type Random, type RandomBytes } from "@bowline/core";
import type { Change, DesiredWrite, Log, ObjectStore } from "@bowline/store";

import { AccountInformer } from "./authentication/account-informer.ts";
import { authenticateJwt, authenticateToken } from "./authentication/authenticate-bearer.ts";
import { authenticateSession } from "./authentication/authenticate-session.ts";
import { Authenticator, type AuthenticatorLimits } from "./authentication/authenticator.ts";
import type { AuthenticationResult, Identity } from "./authentication/identity.ts";
import { LastUseWriter } from "./authentication/last-use-writer.ts";
import {
  ownOnly,
  requireAllowed,
  requireObjectAllowed,
  type ObjectChange,
} from "./authorization/authorize.ts";
import type { Verb } from "./authorization/rules.ts";
import { IssuerKeys } from "./oidc/issuer-keys.ts";
import { requireOidcSettings, type OidcSettings } from "./oidc/oidc-settings.ts";
import { unauthorized, type Bearer } from "./tokens/bearer.ts";
import { newTokenSecret, tokenWrite } from "./tokens/token-secret.ts";

/** Authentication and authorization: every request passes it. */
export interface Access {
  /**
   * `Unauthorized` when the header is missing, malformed, or names a token that is unknown, expired or revoked;
   * `Forbidden` for a user who is known to the issuer and has no role here; an error with status 503 when that cannot
   * be found out now. Answers at once from a cache, and never from an entry older than a revocation that was answered.
   * A header that the same connection sent before is read quicker.
   */
  authenticate(authorization: string | undefined, connection?: object): Identity | Promise<Identity>;
  /** The same for the secret of a session, which comes in a cookie: whether that counts is for the caller to decide. */
  authenticateSession(secret: string): Identity | Promise<Identity>;
  /** Aborts when the bearer of the identity stops working: for streams that live longer than a request. */
  ended(identity: Identity): AbortSignal;
  /** `Forbidden` when the identity may never do this to objects of the kind. */
  allow(identity: Identity, verb: Verb, kind: Kind): void;
  /** `Forbidden` when the identity may not do this to the object as it is, or make it what it should be. */
  allowObject(identity: Identity, verb: Verb, kind: Kind, change: ObjectChange): void;
  /** The only objects of the kind that the identity may see, as requirements to be added to those of a list or watch. */
  visible(identity: Identity, kind: Kind): readonly FieldRequirement[];
  /** Adds what the server decides when an object is created, such as the secret of a token. */
  issue<K extends Kind>(identity: Identity, kind: K, desired: DesiredWrite<K>): Issued<K>;
  /** Resolves when authentication knows this change: an answer to a revocation waits for it. */
  inEffect(kind: Kind, resourceVersion: string): Promise<void>;
}

export interface Issued<K extends Kind> {
  readonly desired: DesiredWrite<K>;
  /** Fields of the status that only the answer to the create carries. */
  readonly onlyInAnswer?: Readonly<Record<string, unknown>>;
}

export interface AccessOptions {
  readonly store: {
    readonly objects: Pick<ObjectStore, "get" | "findByLookupKey" | "writeStatus">;
    readonly changes: Log<Change>;
  };
  /** The issuer whose JWTs are accepted; missing for none. */
  readonly oidc?: OidcSettings | undefined;
  /** How long a session may be left unused. */
  readonly sessionIdleMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly randomBytes?: RandomBytes;
  /** How to reach the issuer. */
  readonly fetch?: typeof fetch;
  readonly limits?: Partial<AuthenticatorLimits>;
}

export interface OpenAccess extends Access {
  /** Ends every stream, and writes down what is left to write. To be called before the store is closed. */
  close(): Promise<void>;
}

const defaultSessionIdleMs = 8 * 3_600_000;
/** An answer to a revocation waits for this long; then everything is forgotten, which is as safe and costs more. */
const inEffectLimitMs = 5_000;

/** Starts to follow the changes of Users, Tokens and Sessions. The caller closes it. */
export async function openAccess(options: AccessOptions): Promise<OpenAccess> {
  const { store, clock = systemClock, random = Math.random, randomBytes = systemRandomBytes } = options;
  const { sessionIdleMs = defaultSessionIdleMs } = options;
  const issuer = openIssuer(options, clock);
  const lastUses = new LastUseWriter({ objects: store.objects, clock });
  const authenticator = new Authenticator({
    clock,
    authenticate: {
      token: (bearer) => authenticateToken(store.objects, bearer),
      jwt: (bearer) => issuer.authenticate(bearer),
      session: (bearer) => authenticateSession(store.objects, bearer, sessionIdleMs),
    },
    canCache: () => changes.isTrusted,
    onUse: (cached) => lastUses.note(cached),
    limits: options.limits ?? {},
  });
  const changes = new AccountInformer({
    changes: store.changes,
    clock,
    random,
    onChange: (change) => authenticator.changed(change),
    onLost: () => authenticator.forgetAll(),
  });
  await changes.start();
  return {
    authenticate: (authorization, connection) => authenticator.authenticate(authorization, connection),
    authenticateSession: (secret) => authenticator.authenticateSession(secret),
    ended: (identity) => authenticator.ended(identity),
    allow: requireAllowed,
    allowObject: requireObjectAllowed,
    visible: ownOnly,
    issue(_, kind, desired) {
      if (kind.kind !== Token.kind) return { desired };
      const secret = newTokenSecret(randomBytes);
      return { desired: tokenWrite(kind, desired, secret), onlyInAnswer: { secret } };
    },
    async inEffect(kind, resourceVersion) {
      if (![User.kind, Token.kind, Session.kind].some((name) => name === kind.kind)) return;
      if (!(await changes.reached(Number(resourceVersion), inEffectLimitMs))) authenticator.forgetAll();
    },
    async close() {
      issuer.close();
      await changes.close();
      await lastUses.close();
    },
  };
}

interface Issuer {
  authenticate(bearer: Bearer): Promise<AuthenticationResult>;
  close(): void;
}

function openIssuer(
  { oidc: settings, store, fetch = globalThis.fetch }: AccessOptions,
  clock: Clock,
): Issuer {
  if (settings === undefined) {
    const refusal =
      "This server accepts no JWTs, because no OIDC issuer is configured; use a token of Bowline.";
    return { authenticate: () => Promise.reject(unauthorized(refusal)), close: () => {} };
  }
  requireOidcSettings(settings);
  const keys = new IssuerKeys({ issuer: settings.issuer, fetch, clock });
  const options = { settings, findKey: keys.find, objects: store.objects, clock };
  return { authenticate: (bearer) => authenticateJwt(options, bearer), close: () => keys.close() };
}
