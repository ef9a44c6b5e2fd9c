import { Session } from "@bowline/api";
import type { Access, OidcAnswer, OidcSignIn, Sessions } from "@bowline/auth";
import { asRecord, BowlineError, errorCodes, type Clock, type Logger } from "@bowline/core";
import type { Store } from "@bowline/store";
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from "fastify";

import type { ApiContext, ApiPlugin } from "../api/http-api.ts";
import { refusalRecord } from "../http/request-records.ts";
import { attemptCookie, attemptIn, sessionCookie } from "../http/session-cookie.ts";
import { noteLogin, placeOf, signedIn } from "./sign-in.ts";

export interface OidcRoutesOptions {
  readonly store: Pick<Store, "objects">;
  readonly access: Pick<Access, "authenticate">;
  readonly sessions: Pick<Sessions, "start">;
  /** Undefined where there is no issuer: then these addresses lead back to the sign-in page. */
  readonly issuer: Pick<OidcSignIn, "start" | "finish" | "close"> | undefined;
  readonly clock: Pick<Clock, "now">;
  readonly logger: Logger;
  /** Where browsers find the server, if that was said. */
  readonly advertisedUrl?: string | undefined;
}

const signInPage = "/ui/login";
const callback = "/ui/oidc/callback";
const withoutCookie = attemptCookie("", 0);

/**
 * Signing in at the OIDC issuer, by redirects only: nothing that comes from there, or from whoever made the link, is ever
 * part of a page. Tokens of the issuer do not outlive the request that brings them.
 */
export function oidcRoutes(options: OidcRoutesOptions): ApiPlugin {
  const { issuer, clock, advertisedUrl } = options;
  return (app, context) => {
    app.addHook("onClose", () => issuer?.close());
    const action: FastifyContextConfig["action"] = { verb: "create", kind: Session };
    const config: FastifyContextConfig = { open: true, action, auditVerb: "login" };
    const refuse = (request: FastifyRequest, reply: FastifyReply, { error, to }: Refused): FastifyReply => {
      const failure = BowlineError.from(error);
      note(options.logger, context, request, failure);
      const reason = failure.code === "Forbidden" ? "role" : "oidc";
      return reply.redirect(pageAt(signInPage, { reason, to }), 303);
    };
    app.addHook("onRequest", (_, reply, done) => {
      reply.headers({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
      done();
    });

    app.get("/ui/oidc/start", { config }, async (request, reply) => {
      const to = wayWithin(asRecord(request.query)["to"]);
      // A page of others could else have everybody who looks at it begin anew, again and again.
      if (!isMeant(request)) return reply.redirect(pageAt(signInPage, { to }), 303);
      try {
        if (issuer === undefined) throw new BowlineError("NotFound", "This server has no OIDC issuer.");
        const { location, attempt } = await issuer.start(to, redirectUri(request, advertisedUrl));
        const lifetimeMs = attempt.expiresAtMs - clock.now();
        return await reply
          .header("set-cookie", attemptCookie(attempt.cookie, lifetimeMs))
          .redirect(location, 303);
      } catch (error) {
        return refuse(request, reply, { error, to });
      }
    });

    app.get(callback, { config }, async (request, reply) => {
      reply.header("set-cookie", withoutCookie);
      try {
        return await comeBack(options, request, reply);
      } catch (error) {
        return refuse(request, reply, { error, to: "/" });
      }
    });
  };
}

async function comeBack(
  options: OidcRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { issuer, access, sessions, store, clock, advertisedUrl } = options;
  if (issuer === undefined) throw new BowlineError("NotFound", "This server has no OIDC issuer.");
  const { idToken, to } = await issuer.finish({
    cookie: attemptIn(request.headers.cookie),
    answer: answerIn(request.query),
    redirectUri: redirectUri(request, advertisedUrl),
  });
  const identity = await access.authenticate(`Bearer ${idToken}`);
  const { session, secret } = await sessions.start(identity, placeOf(request), (made) =>
    signedIn(request, made, "the OIDC issuer"),
  );
  await noteLogin(store, session);
  const lifetimeMs = Date.parse(session.spec.expiresAt) - clock.now();
  return reply.header("set-cookie", sessionCookie(secret, lifetimeMs)).redirect(`/ui${wayWithin(to)}`, 303);
}

interface Refused {
  readonly error: unknown;
  readonly to: string;
}

/** Whoever is not signed in is only sent back; the reason is in the audit log, and a fault in the server's log too. */
function note(
  logger: Logger,
  { audit }: Pick<ApiContext, "audit">,
  request: FastifyRequest,
  failure: BowlineError,
): void {
  const status: number = errorCodes[failure.code].httpStatus;
  if (status >= 500)
    logger.warn({ err: failure, requestId: request.id }, "Sign-in at the OIDC issuer failed");
  const record = refusalRecord(request, status, failure.message);
  if (record !== undefined) audit.record(record);
}

function pageAt(page: string, { reason, to }: { readonly reason?: string; readonly to: string }): string {
  const query = new URLSearchParams({
    ...(reason === undefined ? {} : { reason }),
    ...(to === "/" ? {} : { to }),
  }).toString();
  return query === "" ? page : `${page}?${query}`;
}

/** Somebody followed a link of our own page, or opened the address themselves. Old browsers do not say. */
function isMeant({ headers }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"] ?? "none";
  const destination = headers["sec-fetch-dest"] ?? "document";
  return destination === "document" && (site === "none" || site === "same-origin");
}

/** The parameters of the issuer; others may be there too, and count for nothing. One that is there twice counts as none. */
function answerIn(query: unknown): OidcAnswer {
  const { code, state, iss, error } = asRecord(query);
  return { code: textOf(code), state: textOf(state), iss: textOf(iss), error: textOf(error) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A place within the page, as it is after `/ui`; the first page for everything else. */
export function wayWithin(to: unknown): string {
  if (typeof to !== "string" || !to.startsWith("/")) return "/";
  const base = "https://page.invalid";
  const url = URL.parse(`/ui${to}`, base);
  if (url === null || url.origin !== base || !/^\/ui\/(?!\/|oidc\/|login$)/u.test(url.pathname)) return "/";
  return `${url.pathname.slice("/ui".length)}${url.search}`;
}

/** The address at which the browser sees this server: the issuer compares it with those that it knows. */
function redirectUri({ protocol, host }: FastifyRequest, advertisedUrl: string | undefined): string {
  const advertised = URL.parse(advertisedUrl ?? "");
  // TLS may end at a proxy before us.
  if (advertised !== null && advertised.host === host) return `${advertised.origin}${callback}`;
  return `${protocol}://${host}${callback}`;
}
