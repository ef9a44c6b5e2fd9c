import { Session, Token, type CommandRequest } from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { challengeOf } from "../oidc/sign-in-attempt.ts";
import type { Identity } from "../authentication/identity.ts";
import { identity, openTestAccess, type AccessHarness } from "../testing/access-harness.ts";
import { Sessions } from "./sessions.ts";

const verifier = "v".repeat(43);
const place = { address: "192.0.2.7" };
const lifetimeMs = 30 * 60_000;
const record = () =>
  ({ actor: {}, verb: "login", outcome: "allowed", httpStatus: 201, requestId: "r" }) as const;

interface Stage extends AccessHarness {
  readonly clock: ManualClock;
  readonly sessions: Sessions;
  readonly known: Identity;
  /** Agrees to a command line, and has the code for it. */
  readonly agree: (command?: Partial<CommandRequest>, as?: Identity) => Promise<string>;
}

async function setup(token: { readonly role?: "viewer"; readonly expiresAt?: string } = {}): Promise<Stage> {
  const clock = new ManualClock();
  const harness = await openTestAccess({ clock });
  await harness.createUser("editor", { role: "editor" });
  const sessions = new Sessions({ objects: harness.store.objects, clock, lifetimeMs });
  const known = await harness.authenticate(await harness.createToken("laptop", { user: "editor", ...token }));
  const agree: Stage["agree"] = async (command = {}, as = known) => {
    const request = { challenge: challengeOf(verifier), description: "editor on laptop", ...command };
    return (await sessions.createCode(as, undefined, request)).code;
  };
  return { ...harness, clock, sessions, known, agree };
}

describe("a command line that somebody agreed to", () => {
  test("gets a token of its own, named and listed, which outlives the session and ends by itself", async () => {
    const { sessions, agree, store, authenticate } = await setup();
    const code = await agree({ role: "viewer", expiresAt: "2030-01-01T00:00:00.000Z" });
    const made = await sessions.redeemForCommand({ code, verifier }, place, record);
    expect(made).toMatchObject({ kind: "Token", expiresAt: "2030-01-01T00:00:00.000Z" });
    expect(await authenticate(made.token)).toMatchObject({
      user: "editor",
      role: "viewer",
      token: made.name,
    });
    expect((await store.objects.get(Token, made.name))?.spec).toEqual({
      user: "editor",
      description: "bowline login: editor on laptop",
      role: "viewer",
      expiresAt: "2030-01-01T00:00:00.000Z",
    });
    expect((await store.objects.list(Session, { limit: 10 })).items).toEqual([]);
  });

  test("gets it once, and not without the secret that the code was made for", async () => {
    const { sessions, agree } = await setup();
    const code = await agree();
    const other = sessions.redeemForCommand({ code, verifier: "w".repeat(43) }, place, record);
    await expect(other).rejects.toMatchObject({ code: "Unauthorized" });
    await sessions.redeemForCommand({ code, verifier }, place, record);
    const again = sessions.redeemForCommand({ code, verifier }, place, record);
    await expect(again).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("cannot use the code of a browser, and a browser not the one of a command line", async () => {
    const { sessions, agree, known } = await setup();
    await expect(sessions.redeem(await agree(), place)).rejects.toMatchObject({ code: "Unauthorized" });
    const { code } = await sessions.createCode(known);
    const used = sessions.redeemForCommand({ code, verifier }, place, record);
    await expect(used).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("has five minutes", async () => {
    const { sessions, agree, clock } = await setup();
    const code = await agree();
    await clock.advance(5 * 60_000);
    const late = sessions.redeemForCommand({ code, verifier }, place, record);
    await expect(late).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("gets no more, and for no longer, than the token behind whoever agreed", async () => {
    const { sessions, agree, authenticate } = await setup({
      role: "viewer",
      expiresAt: "2027-01-01T00:00:00Z",
    });
    await expect(agree({ role: "editor" })).rejects.toMatchObject({ code: "Forbidden" });
    const code = await agree({ expiresAt: "2030-01-01T00:00:00Z" });
    const made = await sessions.redeemForCommand({ code, verifier }, place, record);
    expect(made.expiresAt).toBe("2027-01-01T00:00:00.000Z");
    expect(await authenticate(made.token)).toMatchObject({ role: "viewer", tokenRole: "viewer" });
  });

  test("gets nothing when they may not sign in any more", async () => {
    const { sessions, agree, changeUser } = await setup();
    const code = await agree();
    await changeUser("editor", { disabled: true });
    const late = sessions.redeemForCommand({ code, verifier }, place, record);
    await expect(late).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("gets a session if they are known to the issuer only: with its groups, for a day, in no cookie", async () => {
    const { sessions, agree, access, authenticate, store } = await setup();
    const claimed = { role: "viewer", groups: ["oidc-ops"] } as const;
    const guest = identity("oidc-guest@example.com", "viewer", {
      method: "oidc",
      groups: claimed.groups,
      claimed,
      expiresAtMs: 0,
    });
    const { token: _, ...byClaims } = guest;
    const code = await agree({}, byClaims);
    const made = await sessions.redeemForCommand({ code, verifier }, place, record);
    expect(made).toMatchObject({ kind: "Session", token: expect.stringMatching(/^bwa_/u) });
    expect(await authenticate(made.token)).toMatchObject({
      user: "oidc-guest@example.com",
      groups: ["oidc-ops"],
      session: made.name,
    });
    await expect(async () => access.authenticateSession(made.token)).rejects.toThrow("malformed");
    const { spec } = (await store.objects.get(Session, made.name)) ?? {};
    expect(spec).toMatchObject({ userAgent: "bowline: editor on laptop", address: "192.0.2.7" });
    expect(spec).not.toHaveProperty("command");
  });
});
