import {
  CodeRedemption,
  createValidator,
  invalidError,
  Session,
  SignInCodeRequest,
  SignInRequest,
  type ConsoleInfo,
  type SignInCode,
} from "@bowline/api";
import type { Access, Sessions, StartedSession } from "@bowline/auth";
import type { Clock } from "@bowline/core";
import type { Store } from "@bowline/store";
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from "fastify";

import type { ApiPlugin } from "../api/http-api.ts";
import { addressOf } from "../api/object-answer.ts";
import { identityOf } from "../http/admission.ts";
import { jsonType, requireBody } from "../http/json-body.ts";
import { readQuery } from "../http/query.ts";
import { requestRecord } from "../http/request-records.ts";
import { sessionCookie } from "../http/session-cookie.ts";
import { noteLogin, placeOf, signedIn } from "./sign-in.ts";

export interface SessionRoutesOptions {
  readonly store: Pick<Store, "objects">;
  readonly access: Pick<Access, "authenticate">;
  readonly sessions: Pick<Sessions, "start" | "createCode" | "redeem" | "redeemForCommand">;
  readonly clock: Pick<Clock, "now">;
  readonly console: () => ConsoleInfo;
}

const readSignIn = createValidator(SignInRequest);
const readCodeRequest = createValidator(SignInCodeRequest);
const readRedemption = createValidator(CodeRedemption);

/** Signing in with a browser. Signing out is to delete the Session, by the routes of all objects. */
export function sessionRoutes(options: SessionRoutesOptions): ApiPlugin {
  const { store, access, sessions, clock } = options;
  return (app) => {
    app.get("/api/v1/console", { config: { open: true } }, (request): ConsoleInfo => {
      readQuery(request, []);
      return options.console();
    });

    // Open, because a code comes without a token; what strangers try is limited by their address.
    const action: FastifyContextConfig["action"] = { verb: "create", kind: Session };
    const signIn = { config: { open: true, action, auditVerb: "login" } } as const;
    app.post("/api/v1/sessions", signIn, async (request, reply) => {
      readQuery(request, []);
      const code = codeIn(request);
      const place = placeOf(request);
      const { authorization } = request.headers;
      let started: StartedSession;
      if (authorization === undefined && code !== undefined) {
        started = await sessions.redeem(code, place, (session) =>
          signedIn(request, session, "a one-time code"),
        );
      } else {
        const identity = await access.authenticate(authorization, request.raw.socket);
        request.identity = identity;
        const means = identity.method === "token" ? "a token" : "a JWT of the issuer";
        started = await sessions.start(identity, place, (session) => signedIn(request, session, means));
      }
      await noteLogin(store, started.session);
      return sendSession(reply, started, clock);
    });

    app.post("/api/v1/sessions/codes", { config: { auditVerb: "create" } }, async (request, reply) => {
      readQuery(request, []);
      const command = commandIn(request);
      const made: SignInCode = await sessions.createCode(
        identityOf(request),
        ({ metadata }) =>
          requestRecord(request, {
            verb: "create",
            outcome: "allowed",
            httpStatus: 201,
            kind: Session.kind,
            name: metadata.name,
            message:
              command === undefined
                ? "A one-time code to sign in with."
                : `A one-time code for a command line: ${command.description}.`,
          }),
        command,
      );
      return reply.code(201).header("cache-control", "no-store").send(made);
    });

    app.post("/api/v1/sessions/redeem", signIn, async (request, reply) => {
      readQuery(request, []);
      const result = readRedemption(requireBody(request, [jsonType]));
      if (!result.ok) throw invalidError("The sign-in", result.problems);
      const made = await sessions.redeemForCommand(result.value, placeOf(request), (credential, identity) => {
        const record = requestRecord(request, {
          verb: "login",
          outcome: "allowed",
          httpStatus: 201,
          kind: credential.kind,
          name: credential.name,
          message: "A command line signed in with a one-time code.",
        });
        return { ...record, actor: { ...record.actor, user: identity.user } };
      });
      return reply.code(201).header("cache-control", "no-store").send(made);
    });
  };
}

function commandIn(request: FastifyRequest): SignInCodeRequest["command"] {
  if (request.body === undefined) return undefined;
  const result = readCodeRequest(requireBody(request, [jsonType]));
  if (!result.ok) throw invalidError("The request for a code", result.problems);
  return result.value.command;
}

function codeIn(request: FastifyRequest): string | undefined {
  if (request.body === undefined) return undefined;
  const result = readSignIn(requireBody(request, [jsonType]));
  if (!result.ok) throw invalidError("The sign-in", result.problems);
  return result.value.code;
}

function sendSession(
  reply: FastifyReply,
  { session, secret }: StartedSession,
  clock: Pick<Clock, "now">,
): FastifyReply {
  const lifetimeMs = Date.parse(session.spec.expiresAt) - clock.now();
  return reply
    .code(201)
    .header("set-cookie", sessionCookie(secret, lifetimeMs))
    .header("cache-control", "no-store")
    .header("location", addressOf(Session, session.metadata.name))
    .send(session);
}
