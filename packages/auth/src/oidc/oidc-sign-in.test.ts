import { systemClock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { LocalIssuer } from "../testing/local-issuer.ts";
import { OidcSignIn, type OidcAnswer, type OidcClientSettings } from "./oidc-sign-in.ts";

const redirectUri = "https://bowline.example.com/ui/oidc/callback";

interface Stage {
  readonly issuer: LocalIssuer;
  readonly signIn: OidcSignIn;
  /** Begins, signs in at the issuer, and has what the browser has then. */
  readonly goThere: (to?: string) => Promise<{ cookie: string; answer: OidcAnswer; redirectUri: string }>;
}

async function setup(
  settings: Partial<OidcClientSettings> = {},
  clock: OidcSignInClock = systemClock,
): Promise<Stage> {
  const issuer = await LocalIssuer.start();
  const signIn = new OidcSignIn({
    settings: { issuer: issuer.url, clientId: issuer.audience, scopes: ["email"], ...settings },
    clock,
  });
  onTestFinished(() => signIn.close());
  return {
    issuer,
    signIn,
    async goThere(to = "/clusters?q=edge") {
      const { location, attempt } = await signIn.start(to, redirectUri);
      const answer = Object.fromEntries(new URL(issuer.signIn(location)).searchParams);
      return { cookie: attempt.cookie, answer, redirectUri };
    },
  };
}

type OidcSignInClock = ConstructorParameters<typeof OidcSignIn>[0]["clock"];

function claimsOf(idToken: string): unknown {
  return JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString());
}

describe("somebody who signs in at the issuer", () => {
  test("is sent there with state, nonce and an S256 challenge, and comes back to where they wanted", async () => {
    const { issuer, signIn } = await setup();
    const { location, attempt } = await signIn.start("/access?tab=users", redirectUri);
    const sent = Object.fromEntries(new URL(location).searchParams);
    expect(location).toMatch(new RegExp(`^${issuer.url}/authorize\\?`, "u"));
    expect(sent).toEqual({
      response_type: "code",
      client_id: "bowline",
      redirect_uri: redirectUri,
      scope: "openid email",
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/u),
      code_challenge_method: "S256",
    });
    expect(new Set([attempt.state, attempt.nonce, attempt.verifier, sent["code_challenge"]]).size).toBe(4);
    const answer = Object.fromEntries(new URL(issuer.signIn(location)).searchParams);
    const back = await signIn.finish({ cookie: attempt.cookie, answer, redirectUri });
    expect(back.to).toBe("/access?tab=users");
    expect(claimsOf(back.idToken)).toMatchObject({ nonce: attempt.nonce, email: "editor@example.com" });
    expect(issuer.exchanges.at(-1)?.form.get("client_id")).toBe("bowline");
  });

  test("can come back to another replica, which has never heard of it", async () => {
    const { issuer, goThere } = await setup();
    const back = await goThere();
    const settings = { issuer: issuer.url, clientId: issuer.audience, scopes: [] };
    const other = new OidcSignIn({ settings, clock: systemClock });
    expect((await other.finish(back)).to).toBe("/clusters?q=edge");
  });

  test("is vouched for by the client's secret, where there is one, as OAuth encodes it", async () => {
    const { issuer, signIn, goThere } = await setup({ clientSecret: "s3cr:t/+ " });
    issuer.clientSecret = "s3cr%3At%2F%2B+";
    await expect(signIn.finish(await goThere())).resolves.toMatchObject({ to: "/clusters?q=edge" });
    const { form } = issuer.exchanges.at(-1) ?? {};
    expect([form?.get("client_id"), form?.get("client_secret")]).toEqual([null, null]);
  });

  test.each([
    ["has no cookie", (back: Back) => ({ ...back, cookie: undefined })],
    ["has a cookie that nobody set", (back: Back) => ({ ...back, cookie: "x".repeat(60) })],
    ["has no state", (back: Back) => ({ ...back, answer: { ...back.answer, state: undefined } })],
    ["has another state", (back: Back) => ({ ...back, answer: { ...back.answer, state: "x" } })],
    ["has no code", (back: Back) => ({ ...back, answer: { ...back.answer, code: undefined } })],
    ["has another code", (back: Back) => ({ ...back, answer: { ...back.answer, code: "code-99" } })],
    ["comes back elsewhere", (back: Back) => ({ ...back, redirectUri: "https://elsewhere.example.com/" })],
    [
      "has changed where to go",
      (back: Back) => ({ ...back, cookie: back.cookie.replace(/[^.]*$/u, btoa("/x").replace(/=+$/u, "")) }),
    ],
    [
      "has made it last longer",
      (back: Back) => ({ ...back, cookie: back.cookie.replace(/\.\d+\./u, ".9999999999999.") }),
    ],
  ])("is refused who %s", async (_, change) => {
    const { signIn, goThere } = await setup();
    await expect(signIn.finish(change(await goThere()))).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("is refused the second time, with the same answer", async () => {
    const { signIn, goThere } = await setup();
    const back = await goThere();
    await signIn.finish(back);
    await expect(signIn.finish(back)).rejects.toThrow(/was used/u);
  });

  test("is refused with the answer to another sign-in of the same browser", async () => {
    const { signIn, goThere } = await setup();
    const [first, second] = [await goThere(), await goThere()];
    await expect(signIn.finish({ ...second, answer: first.answer })).rejects.toThrow(/another sign-in/u);
  });

  test("is refused after ten minutes", async () => {
    const clock = new ManualClock();
    const { signIn, goThere } = await setup({}, clock);
    const back = await goThere();
    await clock.advance(10 * 60_000);
    await expect(signIn.finish(back)).rejects.toThrow(/longer than ten minutes/u);
  });

  test("is told what the issuer says, as far as that is a word", async () => {
    const { issuer, signIn, goThere } = await setup();
    issuer.answerWith = { error: "access_denied", code: undefined };
    await expect(signIn.finish(await goThere())).rejects.toThrow(/did not sign you in: access_denied/u);
    issuer.answerWith = { error: "<script>", code: undefined };
    await expect(signIn.finish(await goThere())).rejects.toThrow(/an error without a name/u);
  });

  test.each([
    ["of another sign-in", { nonce: "other" }],
    ["without a nonce", { nonce: undefined }],
    ["for another client", { azp: "other" }],
    ["for several clients without saying which", { aud: ["bowline", "other"] }],
  ])("is refused with an ID token %s", async (_, claims) => {
    const { issuer, signIn, goThere } = await setup();
    issuer.signInClaims = claims;
    await expect(signIn.finish(await goThere())).rejects.toMatchObject({ code: "Unauthorized" });
  });
});

type Back = Awaited<ReturnType<Stage["goThere"]>>;

describe("an answer that is mixed up with one of another issuer", () => {
  test("is refused, and so is one without a name from an issuer that says it has one", async () => {
    const { issuer, signIn, goThere } = await setup();
    issuer.answerWith = { iss: "https://other.example.com" };
    await expect(signIn.finish(await goThere())).rejects.toThrow(/not from the OIDC issuer/u);
    issuer.answerWith = { iss: undefined };
    await expect(signIn.finish(await goThere())).rejects.toThrow(/not from the OIDC issuer/u);
    expect(issuer.exchanges).toEqual([]);
  });

  test("cannot be told where the issuer never names itself", async () => {
    const { issuer, signIn, goThere } = await setup();
    issuer.namesItself = false;
    await expect(signIn.finish(await goThere())).resolves.toMatchObject({ to: "/clusters?q=edge" });
  });
});

describe("an issuer", () => {
  test.each(["down", "huge", "elsewhere"] as const)(
    "whose tokens are %s signs nobody in",
    async (behaviour) => {
      const { issuer, signIn, goThere } = await setup();
      issuer.tokenBehaviour = behaviour;
      await expect(signIn.finish(await goThere())).rejects.toMatchObject({ code: "ServerUnavailable" });
    },
  );

  test("that never answers is not waited for", async () => {
    const clock = new ManualClock();
    const { issuer, signIn, goThere } = await setup({}, clock);
    issuer.tokenBehaviour = "silent";
    const back = await goThere();
    const finished = signIn.finish(back).catch((error: unknown) => error);
    await clock.armed(5_000);
    await clock.advance(5_000);
    expect(await finished).toMatchObject({ code: "ServerUnavailable" });
  });

  test("that is away is asked again after a while, and then known for ten minutes", async () => {
    const clock = new ManualClock();
    const { issuer, signIn } = await setup({}, clock);
    issuer.behaviour = "down";
    await expect(signIn.start("/", redirectUri)).rejects.toMatchObject({ code: "ServerUnavailable" });
    issuer.behaviour = "up";
    await expect(signIn.start("/", redirectUri)).rejects.toMatchObject({ code: "ServerUnavailable" });
    await clock.advance(2_000);
    await signIn.start("/", redirectUri);
    await signIn.start("/", redirectUri);
    expect(issuer.requests).toBe(2);
    await clock.advance(10 * 60_000);
    await signIn.start("/", redirectUri);
    expect(issuer.requests).toBe(3);
  });

  test("that says it is another one is not believed", async () => {
    const { issuer, signIn } = await setup();
    issuer.claimsToBe = "https://other.example.com";
    await expect(signIn.start("/", redirectUri)).rejects.toMatchObject({ code: "ServerUnavailable" });
  });
});
