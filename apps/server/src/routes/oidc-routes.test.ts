import { createLogger, systemClock } from "@bowline/core";
import { OidcSignIn, Sessions } from "@bowline/auth";
import { LocalIssuer, openTestAccess, type AccessHarness } from "@bowline/auth/testing";
import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";

import { createHttpApi } from "../api/http-api.ts";
import { authRoutes } from "./auth-routes.ts";
import { oidcRoutes, wayWithin } from "./oidc-routes.ts";

interface Stage extends AccessHarness {
  readonly issuer: LocalIssuer;
  /** Two replicas on one database. */
  readonly app: FastifyInstance;
  readonly other: FastifyInstance;
  readonly log: readonly string[];
}

const host = "bowline.example.com";

async function setup(advertisedUrl?: string): Promise<Stage> {
  const issuer = await LocalIssuer.start();
  const harness = await openTestAccess({ oidc: issuer.settings({ roles: { platform: "admin" } }) });
  issuer.signInClaims = { groups: ["platform"] };
  const log: string[] = [];
  const open = async (): Promise<FastifyInstance> => {
    const { store, access } = harness;
    const sessions = new Sessions({ objects: store.objects, clock: systemClock, lifetimeMs: 3_600_000 });
    const client = {
      issuer: issuer.url,
      clientId: issuer.audience,
      clientSecret: "s3cr3t",
      scopes: ["groups"],
    };
    issuer.clientSecret = "s3cr3t";
    const logger = createLogger({
      name: "test",
      level: "info",
      destination: { write: (line) => void log.push(line) },
    });
    const routes = oidcRoutes({
      store,
      access,
      sessions,
      clock: systemClock,
      logger,
      issuer: new OidcSignIn({ settings: client, clock: systemClock }),
      advertisedUrl,
    });
    const app = await createHttpApi({
      store,
      access,
      logger,
      plugins: [authRoutes({ store, access }), routes],
    });
    onTestFinished(() => app.close());
    return app;
  };
  return { ...harness, issuer, app: await open(), other: await open(), log };
}

/** What a browser sends when somebody follows a link. */
const navigation = { host, "sec-fetch-dest": "document", "sec-fetch-site": "same-origin" };
const fromIssuer = { host, "sec-fetch-dest": "document", "sec-fetch-site": "cross-site" };

async function start({ app }: Stage, to = "/clusters"): Promise<LightMyRequestResponse> {
  return app.inject({ url: "/ui/oidc/start", query: { to }, headers: navigation });
}

/** The value of a cookie that an answer sets. */
function cookieIn(answer: LightMyRequestResponse, name: string): string {
  const set = [answer.headers["set-cookie"] ?? []].flat();
  return set.find((cookie) => cookie.startsWith(`${name}=`))?.split(";")[0] ?? "";
}

/** Goes to the issuer and back, to any of the replicas. */
async function comeBack(stage: Stage, begun: LightMyRequestResponse): Promise<LightMyRequestResponse> {
  const { pathname, search } = new URL(stage.issuer.signIn(String(begun.headers["location"])));
  const cookie = cookieIn(begun, "__Host-bowline-signin");
  return stage.other.inject({ url: `${pathname}${search}`, headers: { ...fromIssuer, cookie } });
}

describe("signing in at the issuer", () => {
  test("ends where somebody wanted to go, with a session, at any replica", async () => {
    const stage = await setup();
    const begun = await start(stage, "/access?tab=users");
    expect(begun.statusCode).toBe(303);
    expect(begun.headers["set-cookie"]).toMatch(
      /^__Host-bowline-signin=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=(?:600|599)$/u,
    );
    const back = await comeBack(stage, begun);
    expect([back.statusCode, back.headers["location"]]).toEqual([303, "/ui/access?tab=users"]);
    expect([back.body, back.headers["cache-control"]]).toEqual(["", "no-store"]);
    expect(back.headers["set-cookie"]).toEqual([
      "__Host-bowline-signin=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0",
      expect.stringMatching(/^__Host-bowline=bws_\w{49}; Path=\/; Secure; HttpOnly; SameSite=Strict; /u),
    ]);
    const cookie = cookieIn(back, "__Host-bowline");
    const headers = { host, "sec-fetch-site": "same-origin", "x-bowline-console": "1", cookie };
    const me = await stage.app.inject({ url: "/api/v1/whoami", headers });
    expect(me.json()).toMatchObject({
      user: "oidc-editor@example.com",
      role: "admin",
      groups: ["oidc-platform"],
      method: "oidc",
    });
    const [record] = (await stage.store.audit.list()).items;
    expect(record).toMatchObject({
      verb: "login",
      outcome: "allowed",
      actor: { user: "oidc-editor@example.com" },
      message: "Signed in with the OIDC issuer.",
    });
  });

  test("tells the issuer the address that the browser sees, also behind a proxy that ends TLS", async () => {
    const uriIn = (begun: LightMyRequestResponse): string | null =>
      new URL(String(begun.headers["location"])).searchParams.get("redirect_uri");
    expect(uriIn(await start(await setup()))).toBe(`http://${host}/ui/oidc/callback`);
    expect(uriIn(await start(await setup(`https://${host}`)))).toBe(`https://${host}/ui/oidc/callback`);
  });

  test("is not begun by a page of others, nor by a picture", async () => {
    const { app } = await setup();
    for (const headers of [
      { ...navigation, "sec-fetch-site": "cross-site" },
      { ...navigation, "sec-fetch-dest": "image" },
    ]) {
      const answer = await app.inject({ url: "/ui/oidc/start?to=/clusters", headers });
      expect([answer.headers["location"], answer.headers["set-cookie"]]).toEqual([
        "/ui/login?to=%2Fclusters",
        undefined,
      ]);
    }
  });
});

describe("a sign-in that fails leads to the sign-in page, without a session", () => {
  const expectBack = (answer: LightMyRequestResponse, reason = "oidc"): void => {
    expect([answer.statusCode, answer.headers["location"]]).toEqual([303, `/ui/login?reason=${reason}`]);
    expect([cookieIn(answer, "__Host-bowline"), answer.body]).toEqual(["", ""]);
    expect(String(answer.headers["set-cookie"])).toContain("__Host-bowline-signin=; ");
  };

  test.each<readonly [string, (stage: Stage) => void]>([
    ["the issuer refuses", ({ issuer }) => (issuer.answerWith = { error: "access_denied", code: undefined })],
    ["the state is another", ({ issuer }) => (issuer.answerWith = { state: "x" })],
    ["the issuer is another", ({ issuer }) => (issuer.answerWith = { iss: "https://other.example.com" })],
    ["the nonce is another", ({ issuer }) => (issuer.signInClaims = { nonce: "x" })],
    ["the ID token has expired", ({ issuer }) => (issuer.signInClaims = { exp: 1 })],
    ["the ID token is for others", ({ issuer }) => (issuer.signInClaims = { aud: "other" })],
    ["the issuer fails", ({ issuer }) => (issuer.tokenBehaviour = "down")],
    ["the issuer sends too much", ({ issuer }) => (issuer.tokenBehaviour = "huge")],
    ["parameters are markup", ({ issuer }) => (issuer.answerWith = { error: "<script>alert(1)</script>" })],
  ])("when %s", async (_, change) => {
    const stage = await setup();
    const begun = await start(stage);
    change(stage);
    expectBack(await comeBack(stage, begun));
    await stage.other.close();
    expect((await stage.store.audit.list()).items[0]).toMatchObject({
      verb: "login",
      outcome: expect.stringMatching(/denied|failed/u),
    });
    expect(stage.log.join("")).not.toContain("s3cr3t");
  });

  test("when somebody has no role here, and says that", async () => {
    const stage = await setup();
    const begun = await start(stage);
    stage.issuer.signInClaims = { groups: ["unknown"] };
    const back = await comeBack(stage, begun);
    expect(back.headers["location"]).toBe("/ui/login?reason=role");
    expectBack(back, "role");
  });

  test("when the callback is replayed, comes without a cookie, or with parameters twice", async () => {
    const stage = await setup();
    const begun = await start(stage);
    const { pathname, search } = new URL(stage.issuer.signIn(String(begun.headers["location"])));
    const url = `${pathname}${search}`;
    expectBack(await stage.app.inject({ url, headers: fromIssuer }));
    const headers = { ...fromIssuer, cookie: cookieIn(begun, "__Host-bowline-signin") };
    expectBack(await stage.app.inject({ url: `${url}&state=x`, headers }));
    const twice = { ...headers, cookie: `${headers.cookie}; ${headers.cookie}` };
    expectBack(await stage.app.inject({ url, headers: twice }));
    expect((await stage.app.inject({ url, headers })).headers["location"]).toBe("/ui/clusters");
    expectBack(await stage.app.inject({ url, headers }));
  });

  test("when the issuer is away before somebody was sent there", async () => {
    const stage = await setup();
    stage.issuer.behaviour = "down";
    const begun = await start(stage);
    expect(begun.headers["location"]).toBe("/ui/login?reason=oidc&to=%2Fclusters");
  });
});

test.each([
  ["/clusters?q=a b", "/clusters?q=a%20b"],
  ["/c/prod#code=bwc_x", "/c/prod"],
  ["//evil.example.com", "/"],
  ["/\\evil.example.com", "/"],
  ["https://evil.example.com", "/"],
  ["/../api/v1/users", "/"],
  ["/%2e%2e/api", "/"],
  ["/oidc/start", "/"],
  ["/login", "/"],
  ["javascript:alert(1)", "/"],
  ["/\nSet-Cookie: x=y", "/Set-Cookie:%20x=y"],
  [7, "/"],
  [["/a", "/b"], "/"],
])("%j leads to %s", (to, place) => {
  expect(wayWithin(to)).toBe(place);
});
