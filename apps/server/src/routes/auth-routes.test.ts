import { createValidator, Token, User, Whoami, type AuditRecord } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { LocalIssuer } from "@bowline/auth/testing";
import { openTestApi, type TestApi } from "../testing/test-api.ts";

async function setup(): Promise<TestApi & { readonly secret: string }> {
  const api = await openTestApi();
  await api.createUser("editor", { role: "editor", groups: ["shop"] });
  return {
    ...api,
    secret: await api.createToken("ci", { user: "editor", expiresAt: "2999-01-01T00:00:00Z" }),
  };
}

/** The records, once everything that waits is written. */
async function recordsOf({ app, store }: TestApi): Promise<Partial<AuditRecord>[]> {
  await app.close();
  const { items } = await store.audit.list();
  return items.map(({ actor, verb, outcome, httpStatus, kind, name }) => ({
    actor,
    verb,
    outcome,
    httpStatus,
    ...(kind === undefined ? {} : { kind }),
    ...(name === undefined ? {} : { name }),
  }));
}

const me = {
  user: "editor",
  role: "editor",
  groups: ["shop"],
  method: "token",
  token: "ci",
  expiresAt: "2999-01-01T00:00:00.000Z",
};

describe("whoami and login", () => {
  test("tell who one is, as the document says", async () => {
    const { request, secret } = await setup();
    for (const answer of [
      await request("GET", "/api/v1/whoami", { secret }),
      await request("POST", "/api/v1/login", { secret }),
    ]) {
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toEqual(me);
      expect(createValidator(Whoami)(answer.json())).toMatchObject({ ok: true });
    }
  });

  test("a login is noted, asking who one is is not", async () => {
    const api = await setup();
    await api.request("GET", "/api/v1/whoami", { secret: api.secret });
    expect((await api.store.objects.get(User, "editor"))?.status.lastLoginAt).toBeUndefined();
    await api.request("POST", "/api/v1/login", { secret: api.secret });
    expect((await api.store.objects.get(User, "editor"))?.status.lastLoginAt).toMatch(/^20/u);
    expect(await recordsOf(api)).toEqual([
      {
        actor: { user: "editor", token: "ci", address: "127.0.0.1" },
        verb: "login",
        outcome: "allowed",
        httpStatus: 200,
      },
    ]);
  });

  test("who fails is noted too, once for many times", async () => {
    const api = await setup();
    for (let count = 0; count < 5; count += 1) {
      const answer = await api.request("POST", "/api/v1/login", { secret: "bwl_wrong" });
      expect(answer.statusCode).toBe(401);
      expect(answer.json()).toMatchObject({ error: { code: "Unauthorized" } });
    }
    const records = await recordsOf(api);
    expect(records[0]).toMatchObject({
      actor: { address: "127.0.0.1" },
      verb: "login",
      outcome: "denied",
      httpStatus: 401,
    });
    expect(records.length).toBeLessThanOrEqual(2);
  });

  test("who comes from the issuer and has no User is noted in the audit log", async () => {
    const issuer = await LocalIssuer.start();
    const oidc = issuer.settings({ defaultRole: "viewer" });
    const api = await openTestApi({ oidc });
    const answer = await api.request("POST", "/api/v1/login", { secret: await issuer.sign() });
    expect(answer.json()).toMatchObject({ user: "oidc-editor@example.com", method: "oidc" });
    expect(await recordsOf(api)).toMatchObject([
      { actor: { user: "oidc-editor@example.com" }, verb: "login", outcome: "allowed" },
    ]);
  });
});

describe("revoking", () => {
  test("ends a token at once and keeps its record", async () => {
    const api = await setup();
    const other = await api.createToken("other", { user: "editor" });
    expect((await api.request("GET", "/api/v1/whoami", { secret: other })).statusCode).toBe(200);
    const answer = await api.request("POST", "/api/v1/tokens/other/revoke", { secret: api.secret });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      kind: "Token",
      status: { revokedAt: expect.stringMatching(/^20/u) },
    });
    expect(answer.headers["etag"]).toBe(`"${answer.json().metadata.resourceVersion}"`);
    expect((await api.request("GET", "/api/v1/whoami", { secret: other })).statusCode).toBe(401);
    const again = await api.request("POST", "/api/v1/tokens/other/revoke", { secret: api.secret });
    expect(again.json()).toEqual(answer.json());
    const records = (await recordsOf(api)).filter(({ verb }) => verb === "revoke");
    expect(records).toMatchObject([{ actor: { user: "editor" }, outcome: "allowed", name: "other" }]);
  });

  test("of oneself is possible; of others it takes an admin", async () => {
    const api = await setup();
    await api.createUser("admin", { role: "admin" });
    const admin = await api.createToken("admin", { user: "admin" });
    const refused = await api.request("POST", "/api/v1/tokens/admin/revoke", { secret: api.secret });
    expect(refused.statusCode).toBe(403);
    expect((await api.store.objects.get(Token, "admin"))?.status.revokedAt).toBeUndefined();
    expect((await api.request("POST", "/api/v1/tokens/ci/revoke", { secret: api.secret })).statusCode).toBe(
      200,
    );
    expect((await api.request("GET", "/api/v1/whoami", { secret: api.secret })).statusCode).toBe(401);
    expect((await api.request("POST", "/api/v1/tokens/none/revoke", { secret: admin })).statusCode).toBe(404);
    expect((await api.request("POST", "/api/v1/tokens/No%20Name/revoke", { secret: admin })).statusCode).toBe(
      404,
    );
    expect(await recordsOf(api)).toContainEqual(
      expect.objectContaining({
        verb: "revoke",
        outcome: "denied",
        httpStatus: 403,
        kind: "Token",
        name: "admin",
      }),
    );
  });

  test("is nothing to try: what asks for a dry run is refused, like any other parameter", async () => {
    const api = await setup();
    const url = "/api/v1/tokens/ci/revoke?dryRun=true";
    const refused = await api.request("POST", url, { secret: api.secret });
    expect(refused.statusCode).toBe(400);
    expect(refused.json().error.message).toContain("dryRun");
    for (const [method, path] of [
      ["GET", "/api/v1/whoami?a=1"],
      ["POST", "/api/v1/login?a=1"],
    ] as const) {
      expect((await api.request(method, path, { secret: api.secret })).statusCode).toBe(400);
    }
    expect((await api.store.objects.get(Token, "ci"))?.status.revokedAt).toBeUndefined();
  });
});

describe("through the API", () => {
  test("somebody makes a token, uses it, lists only their own, and deletes it", async () => {
    const { request, createUser, createToken, secret } = await setup();
    await createUser("viewer");
    await createToken("of-viewer", { user: "viewer" });
    const body = {
      metadata: { name: "new" },
      spec: { user: "editor", role: "viewer", expiresAt: "2998-01-01T00:00:00Z" },
    };
    const created = await request("POST", "/api/v1/tokens", { secret, body });
    expect(created.statusCode).toBe(201);
    const made: string = created.json().status.secret;
    expect((await request("GET", "/api/v1/whoami", { secret: made })).json()).toMatchObject({
      role: "viewer",
      token: "new",
    });
    expect((await request("GET", "/api/v1/tokens/new", { secret })).json().status).not.toHaveProperty(
      "secret",
    );
    const listed = await request("GET", "/api/v1/tokens", { secret });
    expect(listed.json().items.map((item: Token) => item.metadata.name)).toEqual(["ci", "new"]);
    expect((await request("GET", "/api/v1/tokens/of-viewer", { secret })).statusCode).toBe(403);
    const wide = { metadata: { name: "wide" }, spec: { ...body.spec, role: "editor" } };
    expect((await request("POST", "/api/v1/tokens", { secret: made, body: wide })).statusCode).toBe(403);
    expect((await request("DELETE", "/api/v1/tokens/new", { secret })).statusCode).toBe(200);
    expect((await request("GET", "/api/v1/whoami", { secret: made })).statusCode).toBe(401);
  });

  test("the last admin stays, whoever asks", async () => {
    const { request, createUser, createToken } = await setup();
    await createUser("admin", { role: "admin" });
    const secret = await createToken("admin", { user: "admin" });
    const demoted = { metadata: { name: "admin" }, spec: { role: "viewer" } };
    const answers = [
      await request("PUT", "/api/v1/users/admin", { secret, body: demoted }),
      await request("DELETE", "/api/v1/users/admin?cascade=true", { secret }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403]);
    expect((await request("GET", "/api/v1/whoami", { secret })).json()).toMatchObject({ role: "admin" });
  });
});
