import { createHmac } from "node:crypto";

import { User } from "@bowline/api";
import { systemClock, type Clock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { exportSPKI, importJWK } from "jose";
import { describe, expect, test } from "vitest";

import { openTestAccess, type AccessHarness } from "../testing/access-harness.ts";
import { LocalIssuer } from "../testing/local-issuer.ts";
import { IssuerKeys } from "./issuer-keys.ts";
import { requireOidcSettings, type OidcSettings } from "./oidc-settings.ts";

interface Setup extends AccessHarness {
  readonly issuer: LocalIssuer;
}

const roles = { platform: "admin", shop: "editor" } as const;

async function setup(settings: Partial<OidcSettings> = {}, clock: Clock = systemClock): Promise<Setup> {
  const issuer = await LocalIssuer.start();
  return { issuer, ...(await openTestAccess({ oidc: issuer.settings({ roles, ...settings }), clock })) };
}

function base64url(value: object | string): string {
  return Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
}

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

describe("a JWT of the issuer", () => {
  test("says who somebody is, by claims and the roles of groups; it is remembered", async () => {
    const { issuer, access, authenticate } = await setup();
    const jwt = await issuer.sign({ groups: ["shop", "unknown"], exp: nowSeconds() + 600 });
    const identity = await authenticate(jwt);
    expect(identity).toEqual({
      user: "oidc-editor@example.com",
      role: "editor",
      groups: ["oidc-shop", "oidc-unknown"],
      method: "oidc",
      claimed: { role: "editor", groups: ["oidc-shop", "oidc-unknown"] },
      expiresAtMs: expect.any(Number),
    });
    expect(access.authenticate(`Bearer ${jwt}`)).toBe(identity);
    expect(issuer.keyRequests).toBe(1);
  });

  test.each(["RS256", "PS256", "ES384", "EdDSA"])("may be signed with %s", async (alg) => {
    const { issuer, authenticate } = await setup();
    await issuer.rotate({ alg });
    expect(await authenticate(await issuer.sign({ groups: "shop" }))).toMatchObject({ role: "editor" });
  });

  test("gives the widest role of its groups, else the default, else none", async () => {
    const { issuer, authenticate } = await setup();
    expect(await authenticate(await issuer.sign({ groups: ["shop", "platform"] }))).toMatchObject({
      role: "admin",
    });
    await expect(
      authenticate(await issuer.sign({ groups: ["constructor", "__proto__"] })),
    ).rejects.toMatchObject({
      code: "Forbidden",
      message: expect.stringContaining("oidc-editor@example.com"),
    });
    const generous = await setup({ defaultRole: "viewer" });
    expect(await generous.authenticate(await generous.issuer.sign())).toMatchObject({ role: "viewer" });
  });

  test("need not name its key when there are several", async () => {
    const { issuer, authenticate } = await setup({ defaultRole: "viewer" });
    await issuer.rotate({ keepOld: true });
    expect(await authenticate(await issuer.sign({}, { kid: undefined }))).toMatchObject({ role: "viewer" });
  });

  test("counts until it expires, give or take how far clocks may be apart", async () => {
    const clock = new ManualClock(Date.now());
    const { issuer, access, authenticate } = await setup({ defaultRole: "viewer" }, clock);
    const jwt = await issuer.sign({
      exp: Math.floor(clock.now() / 1_000) + 60,
      nbf: Math.floor(clock.now() / 1_000) + 20,
    });
    const ended = access.ended(await authenticate(jwt));
    await clock.advance(89_000);
    expect(await authenticate(jwt)).toBeDefined();
    expect(ended.aborted).toBe(false);
    await clock.advance(2_000);
    expect(ended.aborted).toBe(true);
    await expect(authenticate(jwt)).rejects.toMatchObject({ code: "Unauthorized" });
  });
});

describe("refused as Unauthorized is", () => {
  const wrong: Record<string, (issuer: LocalIssuer) => Promise<string>> = {
    "one that has expired": (issuer) => issuer.sign({ exp: nowSeconds() - 31 }),
    "one that never expires": (issuer) => issuer.sign({ exp: undefined }),
    "one that is not valid yet": (issuer) => issuer.sign({ nbf: nowSeconds() + 60 }),
    "one for another audience": (issuer) => issuer.sign({ aud: "other" }),
    "one for no audience": (issuer) => issuer.sign({ aud: undefined }),
    "one of another issuer": (issuer) => issuer.sign({ iss: "https://example.com" }),
    "one of an issuer with another spelling": (issuer) => issuer.sign({ iss: `${issuer.url}/` }),
    "one without the name": (issuer) => issuer.sign({ email: undefined }),
    "one whose name is no text": (issuer) => issuer.sign({ email: ["editor@example.com"] }),
    "one whose name has a line break": (issuer) => issuer.sign({ email: "editor\nX-Evil: 1" }),
    "one whose name is no ASCII": (issuer) => issuer.sign({ email: "éditeur@example.com" }),
    "one whose name is long": (issuer) => issuer.sign({ email: "e".repeat(254) }),
    "one with an address that is not verified": (issuer) => issuer.sign({ email_verified: false }),
    "one that names an unknown key": (issuer) => issuer.sign({}, { kid: "unknown" }),
    "one of another key with the same name": async (issuer) => {
      const other = await LocalIssuer.start();
      return other.sign({ iss: issuer.url });
    },
    "one with other claims than were signed": async (issuer) => {
      const [header, , signature] = (await issuer.sign()).split(".");
      const claims = {
        iss: issuer.url,
        aud: issuer.audience,
        email: "admin@example.com",
        exp: nowSeconds() + 600,
      };
      return `${header}.${base64url(claims)}.${signature}`;
    },
    "one without a signature": async (issuer) => (await issuer.sign()).replace(/[^.]*$/u, ""),
    "one that says it needs no signature": async (issuer) => {
      const [, claims] = (await issuer.sign()).split(".");
      return `${base64url({ alg: "none" })}.${claims}.`;
    },
    "one signed with the public key as a password": async (issuer) => {
      const key = await importJWK(issuer.publicJwk, "ES256");
      const publicText = key instanceof Uint8Array ? "" : await exportSPKI(key);
      const [, claims] = (await issuer.sign()).split(".");
      const header = base64url({ alg: "HS256", kid: issuer.publicJwk.kid });
      const signature = createHmac("sha256", publicText).update(`${header}.${claims}`).digest("base64url");
      return `${header}.${claims}.${signature}`;
    },
    "one that brings its own key": async (issuer) => {
      const other = await LocalIssuer.start();
      const [, claims, signature] = (await other.sign({ iss: issuer.url })).split(".");
      return `${base64url({ alg: "ES256", jwk: other.publicJwk })}.${claims}.${signature}`;
    },
    "one that is huge": (issuer) => issuer.sign({ groups: ["x".repeat(20_000)] }),
    "one that is no JSON": () => Promise.resolve(`${base64url("{")}.${base64url("}")}.AAAA`),
  };

  test.each(Object.entries(wrong))("%s", async (_, make) => {
    const { issuer, authenticate } = await setup({ defaultRole: "admin" });
    await expect(authenticate(await make(issuer))).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("one whose name Kubernetes keeps for itself, even when names get no prefix", async () => {
    const { issuer, authenticate } = await setup({ userPrefix: "", userClaim: "sub", defaultRole: "viewer" });
    await expect(authenticate(await issuer.sign({ sub: "system:admin" }))).rejects.toMatchObject({
      code: "Unauthorized",
    });
  });
});

describe("a User of the same name", () => {
  test("gives role and groups, and can be disabled, at once", async () => {
    const { issuer, access, authenticate, createUser, changeUser } = await setup({ userClaim: "sub" });
    const jwt = await issuer.sign({ sub: "deputy", groups: ["platform"] });
    expect(await authenticate(jwt)).toMatchObject({ user: "oidc-deputy", role: "admin" });
    await createUser("oidc-deputy", { role: "viewer", groups: ["night-shift"] });
    const identity = await authenticate(jwt);
    expect(identity).toMatchObject({ role: "viewer", groups: ["night-shift", "oidc-platform"] });
    const ended = access.ended(identity);
    await changeUser("oidc-deputy", { disabled: true });
    expect(ended.aborted).toBe(true);
    await expect(authenticate(jwt)).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("counts for nobody while it is being deleted", async () => {
    const { issuer, store, access, authenticate, createUser } = await setup({ userClaim: "sub" });
    const jwt = await issuer.sign({ sub: "deputy", groups: ["platform"] });
    await createUser("oidc-deputy", { role: "viewer" });
    await store.objects.writeFinalizers(User, "oidc-deputy", () => ["example.com/hold"]);
    await authenticate(jwt);
    const { object } = await store.objects.delete(User, "oidc-deputy");
    await access.inEffect(User, object.metadata.resourceVersion);
    await expect(authenticate(jwt)).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("is not taken by who only has chosen that name at the issuer", async () => {
    const { issuer, authenticate, createUser } = await setup({ userClaim: "sub", defaultRole: "viewer" });
    await createUser("admin", { role: "admin" });
    expect(await authenticate(await issuer.sign({ sub: "admin" }))).toMatchObject({
      user: "oidc-admin",
      role: "viewer",
    });
  });
});

describe("keys", () => {
  test("that are new are found when a JWT names them; those withdrawn stop to count", async () => {
    const clock = new ManualClock(Date.now());
    const { issuer, authenticate } = await setup({ defaultRole: "viewer" }, clock);
    const old = await issuer.sign();
    await authenticate(old);
    await issuer.rotate();
    await clock.advance(10_000);
    expect(await authenticate(await issuer.sign())).toBeDefined();
    expect(issuer.keyRequests).toBe(2);
    await clock.advance(5 * 60_000);
    await expect(authenticate(old)).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("are not asked for by every JWT that names an unknown one", async () => {
    const clock = new ManualClock(Date.now());
    const { issuer, authenticate } = await setup({ defaultRole: "viewer" }, clock);
    await authenticate(await issuer.sign());
    await clock.advance(10_000);
    for (let count = 0; count < 20; count += 1) {
      const jwt = await issuer.sign({}, { kid: `unknown-${count}` });
      await expect(authenticate(jwt)).rejects.toMatchObject({ code: "Unauthorized" });
    }
    expect(issuer.keyRequests).toBe(2);
  });

  test("that are known are used while the issuer is down, and streams go on when a JWT is checked again", async () => {
    const clock = new ManualClock(Date.now());
    const { issuer, access, authenticate } = await setup({ defaultRole: "viewer" }, clock);
    const jwt = await issuer.sign({ exp: Math.floor(clock.now() / 1_000) + 7_200 });
    const identity = await authenticate(jwt);
    const ended = access.ended(identity);
    issuer.behaviour = "down";
    await clock.advance(60 * 60_000);
    expect(await authenticate(jwt)).toBe(identity);
    expect(access.authenticate(`Bearer ${jwt}`)).toBe(identity);
    expect(ended.aborted).toBe(false);
    expect(
      await authenticate(await issuer.sign({ sub: "another", exp: Math.floor(clock.now() / 1_000) + 60 })),
    ).toBeDefined();
  });
});

describe("an issuer that cannot be asked", () => {
  test.each(["down", "huge", "elsewhere"] as const)(
    "and is %s gives 503, and is not asked by every request",
    async (behaviour) => {
      const clock = new ManualClock(Date.now());
      const { issuer, authenticate } = await setup({ defaultRole: "viewer" }, clock);
      issuer.behaviour = behaviour;
      const jwt = await issuer.sign();
      for (let count = 0; count < 5; count += 1) {
        await expect(authenticate(jwt)).rejects.toMatchObject({ code: "ServerUnavailable" });
      }
      expect(issuer.requests).toBe(1);
      issuer.behaviour = "up";
      await clock.advance(10_000);
      expect(await authenticate(jwt)).toBeDefined();
    },
  );

  test("says nothing: those with tokens do not notice, the others get 503 in time", async () => {
    const clock = new ManualClock(Date.now());
    const { issuer, authenticate, createUser, createToken } = await setup({ defaultRole: "viewer" }, clock);
    issuer.behaviour = "silent";
    await createUser("editor");
    const secret = await createToken("ci", { user: "editor" });
    const jwts = await Promise.all(
      Array.from({ length: 50 }, (_, index) => issuer.sign({ sub: `${index}` })),
    );
    const waiting = jwts.map((jwt) => authenticate(jwt).catch((error: unknown) => error));
    expect(await authenticate(secret)).toMatchObject({ user: "editor" });
    await clock.advance(5_000);
    for (const outcome of await Promise.all(waiting))
      expect(outcome).toMatchObject({ code: "ServerUnavailable" });
  });

  test("names a key that is new while it is down: nobody can tell, so it is 503", async () => {
    const clock = new ManualClock(Date.now());
    const { issuer, authenticate } = await setup({ defaultRole: "viewer" }, clock);
    await authenticate(await issuer.sign());
    await issuer.rotate();
    issuer.behaviour = "down";
    await clock.advance(10_000);
    const jwt = await issuer.sign();
    await expect(authenticate(jwt)).rejects.toMatchObject({ code: "ServerUnavailable" });
    await expect(authenticate(jwt)).rejects.toMatchObject({ code: "ServerUnavailable" });
  });

  test("has its keys where anybody could put others in their place", async () => {
    const { issuer, authenticate } = await setup({ defaultRole: "viewer" });
    issuer.keysAt = `${issuer.url.replace("127.0.0.1", "0.0.0.0")}/keys`;
    await expect(authenticate(await issuer.sign())).rejects.toMatchObject({ code: "ServerUnavailable" });
    expect(issuer.keyRequests).toBe(0);
  });

  test("is believed for a day, and no longer", async () => {
    const clock = new ManualClock();
    const issuer = await LocalIssuer.start();
    const keys = new IssuerKeys({ issuer: issuer.url, fetch, clock });
    const header = { alg: "ES256", kid: issuer.publicJwk.kid ?? "" };
    const find = () => keys.find(header, { payload: "", signature: "" });
    await find();
    issuer.behaviour = "down";
    await clock.advance(24 * 3_600_000);
    expect(await find()).toBeDefined();
    await clock.advance(60_000);
    await expect(find()).rejects.toMatchObject({ code: "ServerUnavailable" });
    keys.close();
  });

  test("says that it is another one", async () => {
    const { issuer, authenticate } = await setup({ defaultRole: "viewer" });
    issuer.claimsToBe = "https://example.com";
    await expect(authenticate(await issuer.sign())).rejects.toMatchObject({ code: "ServerUnavailable" });
  });
});

test.each([
  "http://example.com",
  "ftp://example.com",
  "example.com",
  "https://a:b@example.com",
  "https://example.com?x",
])("the settings refuse the issuer %s", async (issuer) => {
  const settings = (await LocalIssuer.start()).settings({ issuer });
  expect(() => requireOidcSettings(settings)).toThrow(expect.objectContaining({ code: "InvalidArgument" }));
});

test("the names of a User and of a JWT's user are compared as they are", async () => {
  const { issuer, store, authenticate, createUser } = await setup({
    userClaim: "sub",
    defaultRole: "viewer",
  });
  await createUser("oidc-deputy", { role: "admin" });
  expect(await authenticate(await issuer.sign({ sub: "Deputy" }))).toMatchObject({
    user: "oidc-Deputy",
    role: "viewer",
  });
  expect(await store.objects.get(User, "oidc-deputy")).toMatchObject({ spec: { role: "admin" } });
});
