import { createHash } from "node:crypto";

import { User, type Session } from "@bowline/api";
import { createLogger, systemClock } from "@bowline/core";
import { Sessions } from "@bowline/auth";
import { openTestAccess, type AccessHarness } from "@bowline/auth/testing";
import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";

import { createHttpApi } from "../api/http-api.ts";
import { authRoutes } from "./auth-routes.ts";
import { sessionRoutes } from "./session-routes.ts";

interface Stage extends AccessHarness {
  readonly app: FastifyInstance;
  readonly token: string;
}

/** Sends what a script of the console sends, if not told otherwise. */
const ofConsole = { "sec-fetch-site": "same-origin", "x-bowline-console": "1" };

async function setup(): Promise<Stage> {
  const harness = await openTestAccess();
  const { store, access } = harness;
  await harness.createUser("editor", { role: "editor" });
  const token = await harness.createToken("laptop", { user: "editor" });
  const sessions = new Sessions({ objects: store.objects, clock: systemClock, lifetimeMs: 3_600_000 });
  const app = await createHttpApi({
    store,
    access,
    logger: createLogger({ name: "test", level: "silent" }),
    plugins: [
      authRoutes({ store, access }),
      sessionRoutes({ store, access, sessions, clock: systemClock, console: () => ({ version: "1.2.3" }) }),
    ],
    limits: { addressRate: { perSecond: 1, burst: 5 } },
  });
  onTestFinished(() => app.close());
  return { ...harness, app, token };
}

async function post(
  { app }: Stage,
  url: string,
  more: { readonly headers?: Readonly<Record<string, string>>; readonly payload?: object } = {},
): Promise<LightMyRequestResponse> {
  return app.inject({ method: "POST", url, ...more });
}

/** The cookie of an answer, as a browser sends it back. */
function cookieOf(answer: LightMyRequestResponse): string {
  return String(answer.headers["set-cookie"]).split(";")[0] ?? "";
}

const bearer = (secret: string): { authorization: string } => ({ authorization: `Bearer ${secret}` });

async function whoami(stage: Stage, cookie: string): Promise<LightMyRequestResponse> {
  return stage.app.inject({ url: "/api/v1/whoami", headers: { ...ofConsole, cookie } });
}

describe("signing in", () => {
  test("by a token gives a cookie that no script reads, and a session that is listed", async () => {
    const stage = await setup();
    const headers = { ...bearer(stage.token), "user-agent": "Browser/1.0\u0001" };
    const answer = await post(stage, "/api/v1/sessions", { headers });
    expect(answer.statusCode).toBe(201);
    expect(answer.headers["set-cookie"]).toMatch(
      /^__Host-bowline=bws_\w{49}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=3[56]\d\d$/u,
    );
    expect(answer.headers["cache-control"]).toBe("no-store");
    const session = answer.json<Session>();
    expect(answer.body).not.toContain(cookieOf(answer).slice(-40));
    expect(session.spec).toMatchObject({ user: "editor", token: "laptop", method: "token" });
    expect((await whoami(stage, cookieOf(answer))).json()).toMatchObject({
      user: "editor",
      session: session.metadata.name,
    });
    const listed = await stage.app.inject({
      url: answer.headers["location"] ?? "",
      headers: bearer(stage.token),
    });
    expect(listed.json()).toMatchObject({ metadata: { name: session.metadata.name } });
    expect((await stage.store.objects.get(User, "editor"))?.status.lastLoginAt).toMatch(/^20/u);
  });

  test("by a code works once", async () => {
    const stage = await setup();
    const made = await post(stage, "/api/v1/sessions/codes", { headers: bearer(stage.token) });
    expect(made.statusCode).toBe(201);
    const payload = { code: made.json<{ code: string }>().code };
    const answer = await post(stage, "/api/v1/sessions", { payload });
    expect((await whoami(stage, cookieOf(answer))).json()).toMatchObject({ user: "editor", token: "laptop" });
    const again = await post(stage, "/api/v1/sessions", { payload });
    expect([again.statusCode, again.headers["set-cookie"]]).toEqual([401, undefined]);
  });

  test("of a command line takes the consent of a browser, the code for it, and the secret behind it", async () => {
    const stage = await setup();
    const headers = {
      ...ofConsole,
      cookie: cookieOf(await post(stage, "/api/v1/sessions", { headers: bearer(stage.token) })),
    };
    const verifier = "v".repeat(43);
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const command = { challenge, description: "editor on laptop", role: "viewer" };
    const made = await post(stage, "/api/v1/sessions/codes", { headers, payload: { command } });
    const { code } = made.json<{ code: string }>();
    const redeem = (payload: object): Promise<LightMyRequestResponse> =>
      post(stage, "/api/v1/sessions/redeem", { payload });
    expect((await redeem({ code, verifier: "w".repeat(43) })).statusCode).toBe(401);
    expect((await redeem({ code })).statusCode).toBe(422);
    const answer = await redeem({ code, verifier });
    expect([answer.statusCode, answer.headers["cache-control"]]).toEqual([201, "no-store"]);
    const { token, name } = answer.json<{ token: string; name: string }>();
    const me = await stage.app.inject({ url: "/api/v1/whoami", headers: bearer(token) });
    expect(me.json()).toMatchObject({ user: "editor", role: "viewer", token: name });
    expect((await redeem({ code, verifier })).statusCode).toBe(401);
    const records = (await stage.store.audit.list()).items.map(
      ({ verb, message }) => `${verb}: ${message ?? ""}`,
    );
    expect(records).toContain("login: A command line signed in with a one-time code.");
    expect(records).toContain("create: A one-time code for a command line: editor on laptop.");
    expect(JSON.stringify(records)).not.toContain(code);
  });

  test("without anything, by a form, or with nonsense is refused", async () => {
    const stage = await setup();
    expect((await post(stage, "/api/v1/sessions")).statusCode).toBe(401);
    const form = { "content-type": "text/plain" };
    const byForm = await stage.app.inject({
      method: "POST",
      url: "/api/v1/sessions",
      headers: form,
      payload: '{"code":"x"}',
    });
    expect(byForm.statusCode).toBe(415);
    expect((await post(stage, "/api/v1/sessions", { payload: { code: 7 } })).statusCode).toBe(422);
    expect((await post(stage, "/api/v1/sessions", { payload: { code: "bwc_x" } })).statusCode).toBe(401);
  });

  test("by guessing is stopped soon", async () => {
    const stage = await setup();
    const statuses: number[] = [];
    for (let count = 0; count < 7; count += 1) {
      statuses.push(
        (await post(stage, "/api/v1/sessions", { payload: { code: `bwc_${count}` } })).statusCode,
      );
    }
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(statuses.slice(5)).toContain(429);
  });

  test("is in the audit log, with the session and the means; what fails as well", async () => {
    const stage = await setup();
    const { code } = (await post(stage, "/api/v1/sessions/codes", { headers: bearer(stage.token) })).json<{
      code: string;
    }>();
    const answer = await post(stage, "/api/v1/sessions", { payload: { code } });
    await post(stage, "/api/v1/sessions", { payload: { code } });
    await stage.app.close();
    const { items } = await stage.store.audit.list();
    const { name } = answer.json<Session>().metadata;
    expect(items.filter(({ kind }) => kind === "Session")).toMatchObject([
      { verb: "login", outcome: "denied", httpStatus: 401 },
      {
        verb: "login",
        outcome: "allowed",
        httpStatus: 201,
        name,
        actor: { user: "editor", token: "laptop", address: "127.0.0.1" },
        message: "Signed in with a one-time code.",
      },
      { verb: "create", name, message: "A one-time code to sign in with." },
    ]);
    expect(JSON.stringify(items)).not.toMatch(/bw[cs]_/u);
  });
});

describe("a session", () => {
  test("ends when it is deleted, by itself too, and is not made or changed by clients", async () => {
    const stage = await setup();
    const answer = await post(stage, "/api/v1/sessions", { headers: bearer(stage.token) });
    const headers = { ...ofConsole, cookie: cookieOf(answer) };
    const url = `/api/v1/sessions/${answer.json<Session>().metadata.name}`;
    for (const method of ["PUT", "PATCH"] as const) {
      const refused = await stage.app.inject({ method, url, headers, payload: {} });
      expect(refused.statusCode).toBe(405);
      expect(refused.json()).toMatchObject({
        error: { message: expect.stringContaining("GET, HEAD, DELETE") },
      });
    }
    expect((await stage.app.inject({ method: "DELETE", url, headers })).statusCode).toBe(200);
    expect((await whoami(stage, cookieOf(answer))).statusCode).toBe(401);
  });

  test("of somebody else is neither seen nor ended", async () => {
    const stage = await setup();
    await stage.createUser("other", { role: "editor" });
    const other = await stage.createToken("other", { user: "other" });
    const answer = await post(stage, "/api/v1/sessions", { headers: bearer(stage.token) });
    const url = `/api/v1/sessions/${answer.json<Session>().metadata.name}`;
    const deleted = await stage.app.inject({ method: "DELETE", url, headers: bearer(other) });
    expect(deleted.statusCode).toBe(403);
    const listed = await stage.app.inject({ url: "/api/v1/sessions", headers: bearer(other) });
    expect(listed.json()).toMatchObject({ items: [] });
  });
});

test("anybody may ask how to sign in", async () => {
  const { app } = await setup();
  const answer = await app.inject("/api/v1/console");
  expect([answer.statusCode, answer.json()]).toEqual([200, { version: "1.2.3" }]);
});
