import { randomBytes as systemRandomBytes } from "node:crypto";

import {
  initialStatus,
  maxUserAgentLength,
  Session,
  User,
  type CommandCredential,
  type CommandRequest,
} from "@bowline/api";
import { BowlineError, type Clock, type RandomBytes } from "@bowline/core";
import type { DesiredWrite, NewAuditRecord, ObjectStore } from "@bowline/store";

import { groundVerdict, standsOn } from "../authentication/authenticate-session.ts";
import type { Identity } from "../authentication/identity.ts";
import { challengeOf } from "../oidc/sign-in-attempt.ts";
import { isObjectName } from "../oidc/user-claims.ts";
import { unauthorized } from "../tokens/bearer.ts";
import {
  codeScheme,
  commandScheme,
  isSecret,
  newSecret,
  sessionScheme,
  tokenHash,
} from "../tokens/token-secret.ts";
import { commandToken, createCommandToken } from "./command-token.ts";

export interface SessionsOptions {
  readonly objects: Pick<ObjectStore, "get" | "list" | "create" | "write" | "delete" | "findByLookupKey">;
  readonly clock: Pick<Clock, "now">;
  /** How long a session lasts at most, however much it is used. */
  readonly lifetimeMs: number;
  readonly randomBytes?: RandomBytes;
}

/** The browser that signs in. */
export interface SignInPlace {
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}

export interface StartedSession {
  readonly session: Session;
  /** For the cookie; nothing else ever shows it. */
  readonly secret: string;
}

export interface SignInCode {
  readonly code: string;
  readonly expiresAt: string;
}

/** A command line that shows the code which somebody got for it. */
export interface CommandSignIn {
  readonly code: string;
  readonly verifier: string;
}

type Audit = (session: Session) => NewAuditRecord;

/** Long enough for a browser to start, too short for a link that ends up somewhere. */
const codeLifetimeMs = 60_000;
/** Somebody may have to carry it to another machine; nobody else has the secret that goes with it. */
const commandCodeLifetimeMs = 5 * 60_000;
/** More browsers than anybody has; beyond, the one that was left alone for longest goes. */
const maxPerUser = 100;
const nameBytes = 8;

/**
 * Makes sessions, each for as long as the token or the claims behind it hold.
 *
 * A one-time code is a Session that waits: it is found by the hash of the code, and whoever shows the code first gives it
 * the hash of a cookie instead, in one transaction. So a code works once, on any replica, and goes as sessions go.
 */
export class Sessions {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** For somebody who has just been authenticated. */
  async start(identity: Identity, place: SignInPlace, audit?: Audit): Promise<StartedSession> {
    const secret = this.#newSecret(sessionScheme);
    const spec = { ...(await this.#groundOf(identity)), ...placeOf(place), expiresAt: this.#end(identity) };
    const session = await this.#create(spec, this.#started(), secret, audit);
    return { session, secret };
  }

  /**
   * Of which a browser can make one session with the rights of the identity; or, if it is for a command line, that one
   * gets a token. `Forbidden` when the command line would get more than the identity may give.
   */
  async createCode(identity: Identity, audit?: Audit, command?: CommandRequest): Promise<SignInCode> {
    const code = this.#newSecret(codeScheme);
    const lifetimeMs = command === undefined ? codeLifetimeMs : commandCodeLifetimeMs;
    const expiresAt = new Date(this.#options.clock.now() + lifetimeMs).toISOString();
    if (command !== undefined && identity.method === "token") commandToken(identity, command, "cli");
    const forCommand = command === undefined ? {} : { command };
    const spec = { ...(await this.#groundOf(identity)), ...forCommand, expiresAt };
    await this.#create(spec, initialStatus(Session), code, audit);
    return { code, expiresAt };
  }

  /** `Unauthorized` for a code that nobody made, that was used, that is too old, or whose ground has gone. */
  async redeem(code: string, place: SignInPlace, audit?: Audit): Promise<StartedSession> {
    const { objects } = this.#options;
    const { metadata, spec } = await this.#waiting(code);
    if (spec.command !== undefined) throw uselessCode();
    const identity = await this.#requireGround(spec);
    const secret = this.#newSecret(sessionScheme);
    const desired = {
      metadata,
      spec: { ...spec, ...placeOf(place), expiresAt: this.#end(identity) },
      status: this.#started(),
      lookupKey: tokenHash(secret),
    };
    const redeemed = (current: Session | undefined): DesiredWrite<typeof Session> => {
      const isWaiting = current?.metadata.id === metadata.id && current.status.startedAt === undefined;
      if (!isWaiting) throw uselessCode();
      return desired;
    };
    const { object } = await objects.write(Session, metadata.name, redeemed, {
      audit: (result) => audit?.(result.object),
    });
    return { session: object, secret };
  }

  /**
   * The same for a command line: it gets a Token of its own or, for somebody whom only the issuer knows, a Session, since
   * a Token would not have the groups of the issuer. `Unauthorized` also without the secret that the code is bound to.
   */
  async redeemForCommand(
    { code, verifier }: CommandSignIn,
    place: SignInPlace,
    audit: (made: CommandCredential, identity: Identity) => NewAuditRecord,
  ): Promise<CommandCredential> {
    const { objects } = this.#options;
    const { metadata, spec } = await this.#waiting(code);
    const { command } = spec;
    if (command === undefined || challengeOf(verifier) !== command.challenge) throw uselessCode();
    const identity = await this.#requireGround(spec);
    // Whoever deletes it has it; if the rest fails, somebody has to agree once more.
    if (!(await unlessGone(objects.delete(Session, metadata.name, { id: metadata.id })))) throw uselessCode();
    const { randomBytes = systemRandomBytes } = this.#options;
    if (identity.method === "token")
      return createCommandToken({
        objects,
        randomBytes,
        identity,
        command,
        audit: (made) => audit(made, identity),
      });
    const from = { ...place, userAgent: `bowline: ${command.description}` };
    const { command: _, ...ground } = spec;
    const secret = this.#newSecret(commandScheme);
    const made = (session: Session): CommandCredential => ({
      token: secret,
      kind: "Session",
      name: session.metadata.name,
      expiresAt: session.spec.expiresAt,
    });
    const session = await this.#create(
      { ...ground, ...placeOf(from), expiresAt: earlier(this.#end(identity), command.expiresAt) },
      this.#started(),
      secret,
      (object) => audit(made(object), identity),
    );
    return made(session);
  }

  async #waiting(code: string): Promise<Session> {
    const { objects, clock } = this.#options;
    const waiting = isSecret(code, codeScheme)
      ? await objects.findByLookupKey(Session, tokenHash(code))
      : undefined;
    if (waiting === undefined || clock.now() >= Date.parse(waiting.spec.expiresAt)) throw uselessCode();
    return waiting;
  }

  async #requireGround(spec: Session["spec"]): Promise<Identity> {
    const { objects, clock } = this.#options;
    const verdict = groundVerdict(spec, await standsOn(objects, spec));
    if ("refusal" in verdict) throw new BowlineError(verdict.refusal.code, verdict.refusal.message);
    if (clock.now() < (verdict.identity.expiresAtMs ?? Infinity)) return verdict.identity;
    throw unauthorized("The token that the code was made with has expired.");
  }

  async #create(
    spec: Session["spec"],
    status: Session["status"],
    secret: string,
    audit: Audit | undefined,
  ): Promise<Session> {
    const { objects, randomBytes = systemRandomBytes } = this.#options;
    await this.#makeRoom(spec.user);
    const name = `s-${Buffer.from(randomBytes(nameBytes)).toString("hex")}`;
    const desired = { metadata: { name, labels: {}, annotations: {} }, spec, status };
    const { object } = await objects.create(
      Session,
      { ...desired, lookupKey: tokenHash(secret) },
      { audit: (result) => audit?.(result.object) },
    );
    return object;
  }

  /** The part of a session that says whose it is and what it rests on. */
  async #groundOf(identity: Identity): Promise<Omit<Session["spec"], "expiresAt">> {
    const { user, method, token, claimed } = identity;
    const hasUser = isObjectName(user) && (await this.#options.objects.get(User, user)) !== undefined;
    return {
      user,
      method,
      ...(hasUser ? { account: user } : {}),
      ...(token === undefined ? {} : { token }),
      ...(claimed?.role === undefined ? {} : { role: claimed.role }),
      ...(claimed === undefined ? {} : { groups: [...claimed.groups] }),
    };
  }

  /** A token that ends earlier ends it earlier; a JWT does not, because nobody keeps what would renew it. */
  #end({ method, expiresAtMs, tokenExpiresAtMs, session }: Identity): string {
    const latestMs = this.#options.clock.now() + this.#options.lifetimeMs;
    const tokenEndMs = session === undefined ? expiresAtMs : tokenExpiresAtMs;
    const endMs = method === "token" ? Math.min(latestMs, tokenEndMs ?? Infinity) : latestMs;
    return new Date(endMs).toISOString();
  }

  #started(): Session["status"] {
    const now = new Date(this.#options.clock.now()).toISOString();
    return { ...initialStatus(Session), startedAt: now, lastUsedAt: now };
  }

  #newSecret(scheme: typeof sessionScheme | typeof codeScheme | typeof commandScheme): string {
    return newSecret(scheme, this.#options.randomBytes ?? systemRandomBytes);
  }

  async #makeRoom(user: string): Promise<void> {
    const { objects } = this.#options;
    const field = Session.filterable.find(({ text }) => text === "spec.user");
    if (field === undefined) return;
    const page = await objects.list(Session, {
      fields: [{ field, operator: "=", value: user }],
      limit: 2 * maxPerUser,
    });
    const oldestFirst = page.items.toSorted((a, b) => lastUse(a).localeCompare(lastUse(b)));
    const surplus = oldestFirst.slice(0, Math.max(0, page.items.length - maxPerUser + 1));
    for (const { metadata } of surplus) await unlessGone(objects.delete(Session, metadata.name));
  }
}

function earlier(end: string, wanted: string | undefined): string {
  return wanted !== undefined && Date.parse(wanted) < Date.parse(end) ? wanted : end;
}

function placeOf({ address, userAgent }: SignInPlace): SignInPlaceSpec {
  const printable = userAgent?.replaceAll(/\p{Cc}/gu, "").slice(0, maxUserAgentLength);
  return {
    ...(address === undefined ? {} : { address }),
    ...(printable === undefined ? {} : { userAgent: printable }),
  };
}

type SignInPlaceSpec = Pick<Session["spec"], "address" | "userAgent">;

function lastUse({ status, metadata }: Session): string {
  return status.lastUsedAt ?? metadata.createdAt;
}

function uselessCode(): BowlineError {
  return unauthorized("The code is unknown, was used, or is too old; ask for a new one.");
}

export async function unlessGone(deletion: Promise<unknown>): Promise<boolean> {
  try {
    await deletion;
    return true;
  } catch (error) {
    if (error instanceof BowlineError && error.code === "NotFound") return false;
    throw error;
  }
}
