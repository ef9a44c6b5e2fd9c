import type { IncomingMessage } from "node:http";

import type { AuditRecord, Kind } from "@bowline/api";
import type { Verb, Identity, Access } from "@bowline/auth";
import { BowlineError, RateTable, type Clock } from "@bowline/core";
import type { FastifyRequest, FastifyContextConfig, FastifyInstance } from "fastify";

import type { HttpLimits } from "./limits.ts";
import { sessionSecretOf } from "./session-cookie.ts";

declare module "fastify" {
  /** The facts about a route that its admission needs. */
  interface FastifyContextConfig {
    /** Needs no token. */
    open?: boolean;
    /** A file of the console: there is nothing to guess, and whoever opens the page asks for fifty. */
    isPageFile?: boolean;
    /** Limits what each user may ask of it itself. */
    ownLimits?: boolean;
    /** The verb and kind of the route: refused to those who may never do it, and named in the audit log. */
    action?: { readonly verb: Verb; readonly kind: Kind };
    /** The verb for the audit log, where that is not the one of the action; `read` for a route with neither. */
    auditVerb?: AuditRecord["verb"];
  }

  interface FastifyRequest {
    /** Set for every route that is not open. */
    identity: Identity | undefined;
    /** Whether the answer is a stream, which ends when somebody ends it. */
    isStream: boolean;
  }
}

/** The identity that makes the request. */
export function identityOf({ identity }: Pick<FastifyRequest, "identity">): Identity {
  if (identity !== undefined) return identity;
  throw new BowlineError("Internal", "A route that is open asks who makes the request.");
}

/** Requests that came over a connection which has been admitted, and belong to the one who made it. */
export type CarriedRequests = WeakMap<IncomingMessage, Identity>;

export interface AdmissionOptions {
  readonly access: Pick<Access, "authenticate" | "authenticateSession" | "allow">;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly limits: HttpLimits;
  readonly carried: Pick<CarriedRequests, "get">;
  /** Why there is no answer at an address, for requests that no route takes. */
  readonly routeNotFound: (request: FastifyRequest) => BowlineError;
}

/**
 * Decides about every request before its body is read: who makes it, whether they make too many, and whether they may
 * do such a thing at all. It is synchronous for whom the server knows already.
 */
export function addAdmission(app: FastifyInstance, options: AdmissionOptions): void {
  const { access, clock, limits, carried, routeNotFound } = options;
  const users = new RateTable(limits.userRate, clock);
  const addresses = new RateTable(limits.addressRate, clock);
  const pageFiles = new RateTable(limits.pageFileRate, clock);

  const admit = (request: FastifyRequest, config: FastifyContextConfig, identity: Identity): void => {
    const { action, ownLimits = false } = config;
    request.identity = identity;
    if (!ownLimits) requireWithin(users.take(identity.user), "You send");
    if (action !== undefined) access.allow(identity, action.verb, action.kind);
  };

  const admitStranger = (request: FastifyRequest, table = addresses): void => {
    requireWithin(table.take(addressKey(request.ip ?? "")), "Your address sends");
  };

  const decide = (request: FastifyRequest): void | Promise<void> => {
    requireHost(request.raw);
    requireShort(request.raw.url, limits.maxUrlLength);
    if (request.is404) {
      admitStranger(request);
      throw routeNotFound(request);
    }
    const { config } = request.routeOptions;
    if (config.open === true) {
      return admitStranger(request, config.isPageFile === true ? pageFiles : addresses);
    }
    try {
      const carrier = carried.get(request.raw);
      if (carrier !== undefined) return admit(request, config, carrier);
      const identity = authenticate(access, request);
      if (identity instanceof Promise) return decideLater(request, config, identity);
      return admit(request, config, identity);
    } catch (error) {
      return refuse(request, error);
    }
  };

  const decideLater = async (
    request: FastifyRequest,
    config: FastifyContextConfig,
    identity: Promise<Identity>,
  ): Promise<void> => {
    try {
      admit(request, config, await identity);
    } catch (error) {
      refuse(request, error);
    }
  };

  /** Guessing is limited; who has a valid token is not held up by others behind the same address. */
  const refuse = (request: FastifyRequest, error: unknown): never => {
    if (request.identity === undefined) admitStranger(request);
    throw error;
  };

  app.decorateRequest("identity", undefined);
  app.decorateRequest("isStream", false);
  // A hook that returns nothing goes on at once when it is done; a promise would cost every request a turn.
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    try {
      const later = decide(request);
      if (later === undefined) done();
      else void settle(later, done);
    } catch (error) {
      done(BowlineError.from(error));
    }
  });
}

/** By the Authorization header where there is one, whatever cookies come with it. */
function authenticate(
  access: AdmissionOptions["access"],
  request: FastifyRequest,
): Identity | Promise<Identity> {
  const { headers, socket } = request.raw;
  const secret = headers.authorization === undefined ? sessionSecretOf(request) : undefined;
  return secret === undefined
    ? access.authenticate(headers.authorization, socket)
    : access.authenticateSession(secret);
}

async function settle(later: Promise<void>, done: (error?: Error) => void): Promise<void> {
  try {
    await later;
  } catch (error) {
    done(BowlineError.from(error));
    return;
  }
  done();
}

function requireWithin(waitMs: number, who: string): void {
  if (waitMs === 0) return;
  const retryAfterSeconds = Math.ceil(waitMs / 1_000);
  throw new BowlineError(
    "TooManyRequests",
    `${who} more requests than the server takes; try again in ${retryAfterSeconds} s.`,
    { details: { retryAfterSeconds } },
  );
}

/** As RFC 9112 demands: a proxy before the server may have decided by it where the request goes. */
function requireHost({ headers, httpVersion }: FastifyRequest["raw"]): void {
  if (headers.host !== undefined || httpVersion !== "1.1") return;
  throw new BowlineError("BadRequest", "The request has no Host header.");
}

function requireShort(url: string | undefined, maxUrlLength: number): void {
  if ((url?.length ?? 0) <= maxUrlLength) return;
  throw new BowlineError("AddressTooLong", `The address is longer than ${maxUrlLength} characters.`);
}

/** One customer of a provider has at least this much of IPv6, and could come from any address in it. */
const networkGroups = 4;

/** The key of one client: an IPv4 address, or a /64 network of IPv6. */
export function addressKey(address: string): string {
  const mapped = /^::ffff:(?<v4>\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.groups?.["v4"];
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address;
  const [head = "", tail] = address.replace(/%.*$/u, "").split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return `${groups.slice(0, networkGroups).join(":")}::/64`;
}
