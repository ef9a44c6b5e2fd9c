import { Session, Token, User, type Role } from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import type { Identity } from "../authentication/identity.ts";
import { identity, openTestAccess, type AccessHarness } from "../testing/access-harness.ts";
import { pruneSessions } from "./prune-sessions.ts";
import { Sessions } from "./sessions.ts";

/** Shorter than they are elsewhere: on a manual clock, each second has its timers. */
const minuteMs = 60_000;
const idleMs = 10 * minuteMs;
const lifetimeMs = 30 * minuteMs;
const place = { address: "192.0.2.7", userAgent: "Browser/1.0" };

interface Stage extends AccessHarness {
  readonly clock: ManualClock;
  readonly sessions: Sessions;
  /** Of the token that the session was made with. */
  readonly identity: Identity;
  readonly cookie: string;
  readonly session: Session;
  readonly show: (cookie: string) => Promise<Identity>;
}

/** An editor, signed in by a token. */
async function setup(token: { readonly role?: Role; readonly expiresAt?: string } = {}): Promise<Stage> {
  const clock = new ManualClock();
  const harness = await openTestAccess({ clock, sessionIdleMs: idleMs });
  await harness.createUser("editor", { role: "editor", groups: ["shop"] });
  const sessions = new Sessions({ objects: harness.store.objects, clock, lifetimeMs });
  const known = await harness.authenticate(await harness.createToken("laptop", { user: "editor", ...token }));
  const { session, secret } = await sessions.start(known, place);
  const show = async (cookie: string): Promise<Identity> => harness.access.authenticateSession(cookie);
  return { ...harness, clock, sessions, identity: known, cookie: secret, session, show };
}

describe("a session", () => {
  test("has the identity of its token, and says which session it is", async () => {
    const { show, cookie, session } = await setup({ role: "viewer" });
    expect(await show(cookie)).toEqual({
      user: "editor",
      role: "viewer",
      groups: ["shop"],
      method: "token",
      token: "laptop",
      tokenRole: "viewer",
      session: session.metadata.name,
      expiresAtMs: Date.parse(session.spec.expiresAt),
    });
    expect(session.spec).toMatchObject({ ...place, account: "editor", token: "laptop" });
    expect(JSON.stringify(session)).not.toContain(cookie.slice(4));
  });

  test("follows its user at once", async () => {
    const { show, cookie, changeUser } = await setup();
    await show(cookie);
    await changeUser("editor", { role: "viewer", groups: [] });
    expect(await show(cookie)).toMatchObject({ role: "viewer", groups: [] });
  });

  test.each<readonly [string, (stage: Stage) => Promise<string>]>([
    [
      "its token is revoked",
      async ({ store }) => {
        const revokedAt = "2026-01-01T00:00:00Z";
        const write = await store.objects.writeStatus(Token, "laptop", ({ status }) => ({
          ...status,
          revokedAt,
        }));
        return write.object.metadata.resourceVersion;
      },
    ],
    [
      "its token is deleted",
      async ({ store }) => (await store.objects.delete(Token, "laptop")).object.metadata.resourceVersion,
    ],
    [
      "it is deleted",
      async ({ store, session }) =>
        (await store.objects.delete(Session, session.metadata.name)).object.metadata.resourceVersion,
    ],
  ])("ends when %s, with the streams under it", async (_, end) => {
    const stage = await setup();
    const { access, show, cookie } = stage;
    const ended = access.ended(await show(cookie));
    await access.inEffect(Session, await end(stage));
    expect(ended.aborted).toBe(true);
    await expect(show(cookie)).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("ends when its user is disabled or deleted", async () => {
    const { show, cookie, changeUser, store } = await setup();
    await changeUser("editor", { disabled: true });
    await expect(show(cookie)).rejects.toMatchObject({ code: "Unauthorized" });
    await store.objects.delete(Token, "laptop");
    expect((await store.objects.list(Session)).total).toBe(0);
  });

  test("ends with its token's time, if that is earlier", async () => {
    const { show, cookie, clock, access } = await setup({ expiresAt: "2026-01-01T00:05:00Z" });
    const ended = access.ended(await show(cookie));
    await clock.advance(5 * minuteMs);
    expect(ended.aborted).toBe(true);
    await expect(show(cookie)).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("ends when it is left alone, streams included, and not while it is used", async () => {
    const { show, cookie, clock, access } = await setup();
    const ended = access.ended(await show(cookie));
    await clock.advance(9 * minuteMs);
    await show(cookie);
    await clock.advance(9 * minuteMs);
    expect(ended.aborted).toBe(false);
    await clock.advance(minuteMs);
    expect(ended.aborted).toBe(true);
    await expect(show(cookie)).rejects.toThrow("The session has ended; sign in again.");
  });

  test("ends after its lifetime in any case", async () => {
    const { show, cookie, clock } = await setup();
    for (let used = 0; used < 5; used += 1) {
      await clock.advance(5 * minuteMs);
      await show(cookie);
    }
    await clock.advance(5 * minuteMs);
    await expect(show(cookie)).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("makes tokens that last as long as its token may, not only for its own time", async () => {
    const { show, cookie, access } = await setup({ expiresAt: "2026-02-01T00:00:00Z" });
    const allow = async (expiresAt: string): Promise<void> => {
      const spec = { user: "editor", expiresAt };
      access.allowObject(await show(cookie), "create", Token, {
        desired: { metadata: { name: "ci" }, spec },
      });
    };
    await allow("2026-01-20T00:00:00Z");
    await expect(allow("2026-03-01T00:00:00Z")).rejects.toMatchObject({ code: "Forbidden" });
  });

  test("by the issuer's claims has their groups and role, joined with the User of that name", async () => {
    const { sessions, show, createUser, store } = await setup();
    const claimed = { role: "viewer" as const, groups: ["oidc-ops"] };
    const { token: _, ...guest } = identity("oidc-guest", "viewer", {
      method: "oidc",
      claimed,
      groups: ["oidc-ops"],
      expiresAtMs: 0,
    });
    const before = await sessions.start(guest, place);
    expect(await show(before.secret)).toMatchObject({ role: "viewer", groups: ["oidc-ops"], method: "oidc" });
    await createUser("oidc-guest", { role: "editor", groups: ["shop"] });
    expect(await show(before.secret)).toMatchObject({ role: "editor", groups: ["shop", "oidc-ops"] });
    const after = await sessions.start(guest, place);
    await store.objects.delete(User, "oidc-guest");
    await expect(show(after.secret)).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("is none of those that others have made up", async () => {
    const { show, cookie, access } = await setup();
    await expect(show(`${cookie.slice(0, -1)}!`)).rejects.toThrow("malformed");
    // In an Authorization header it is nothing: there, no rule about browsers holds.
    await expect(async () => access.authenticate(`Bearer ${cookie}`)).rejects.toMatchObject({
      code: "Unauthorized",
    });
  });

  test("of somebody who has too many makes the one go that was left alone for longest", async () => {
    const { sessions, identity: known, show, cookie, clock, store } = await setup();
    await clock.advance(1_000);
    for (let count = 0; count < 100; count += 1) await sessions.start(known, place);
    expect((await store.objects.list(Session)).total).toBe(100);
    await expect(show(cookie)).rejects.toMatchObject({ code: "Unauthorized" });
  });
});

describe("a one-time code", () => {
  test("makes one session, and is no cookie itself", async () => {
    const { sessions, identity: known, show } = await setup();
    const { code } = await sessions.createCode(known);
    await expect(show(code)).rejects.toMatchObject({ code: "Unauthorized" });
    const attempts = await Promise.allSettled([sessions.redeem(code, place), sessions.redeem(code, place)]);
    const made = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []));
    expect(made).toHaveLength(1);
    expect(await show(made[0]?.secret ?? "")).toMatchObject({ user: "editor", token: "laptop" });
    await expect(sessions.redeem(code, place)).rejects.toThrow("was used");
  });

  test("is of use for a minute", async () => {
    const { sessions, identity: known, clock } = await setup();
    const { code } = await sessions.createCode(known);
    await clock.advance(60_000);
    await expect(sessions.redeem(code, place)).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("is of no use when its user may not sign in any more", async () => {
    const { sessions, identity: known, changeUser } = await setup();
    const { code } = await sessions.createCode(known);
    await changeUser("editor", { disabled: true });
    await expect(sessions.redeem(code, place)).rejects.toMatchObject({ code: "Unauthorized" });
  });
});

test("sessions that have ended, and codes that nobody has used, are deleted", async () => {
  const { store, sessions, identity: known, clock, changeUser } = await setup();
  const prune = (): Promise<number> => pruneSessions({ objects: store.objects, clock, idleMs });
  await sessions.createCode(known);
  expect(await prune()).toBe(0);
  await clock.advance(60_000);
  expect(await prune()).toBe(1);
  await clock.advance(idleMs + 2 * minuteMs);
  expect(await prune()).toBe(1);
  await sessions.start(known, place);
  await changeUser("editor", { disabled: true });
  expect(await prune()).toBe(1);
});
