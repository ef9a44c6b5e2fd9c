import { randomBytes as systemRandomBytes } from "node:crypto";

import { BowlineError, isRecord, type Clock, type RandomBytes } from "@bowline/core";
import { decodeJwt } from "jose";

import { unauthorized } from "../tokens/bearer.ts";
import { fetchJson, type FetchJsonOptions } from "./fetch-json.ts";
import { fetchIssuerDocument, type IssuerDocument } from "./issuer-document.ts";
import { challengeOf, isStateOf, newAttempt, readAttempt, type SignInAttempt } from "./sign-in-attempt.ts";

export interface OidcClientSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Missing for a public client, which PKCE alone protects. */
  readonly clientSecret?: string | undefined;
  readonly scopes: readonly string[];
}

export interface OidcSignInOptions {
  readonly settings: OidcClientSettings;
  readonly clock: Clock;
  readonly fetch?: typeof fetch;
  readonly randomBytes?: RandomBytes;
}

/** The parameters with which the issuer sends a browser back. */
export interface OidcAnswer {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
}

export interface OidcReturn {
  /** What the browser has kept since it was sent away. */
  readonly cookie: string | undefined;
  readonly answer: OidcAnswer;
  readonly redirectUri: string;
}

/** For how long what the issuer says about itself is believed. */
const documentAgeMs = 10 * 60_000;
/** The issuer is not asked more often while it fails, however many want to sign in. */
const cooldownMs = 2_000;
const errorPattern = /^[\w.-]{1,64}$/u;

interface KnownDocument {
  readonly document: Promise<IssuerDocument>;
  readonly askedMs: number;
  failed: boolean;
}

/**
 * Sign-in at an OpenID Connect issuer by authorization code with PKCE, state and nonce. Tokens of the issuer stay here
 * for as long as it takes to read one of them.
 */
export class OidcSignIn {
  readonly #options: OidcSignInOptions;
  readonly #closing = new AbortController();
  #known: KnownDocument | undefined;

  constructor(options: OidcSignInOptions) {
    this.#options = options;
  }

  /** The address at the issuer to send a browser to, and what the browser has to keep meanwhile. */
  async start(to: string, redirectUri: string): Promise<{ location: string; attempt: SignInAttempt }> {
    const { settings, clock, randomBytes = systemRandomBytes } = this.#options;
    const { authorizationUrl } = await this.#document();
    if (authorizationUrl === undefined) throw unusable("nobody can sign in at");
    const attempt = newAttempt(to, clock.now(), randomBytes);
    const location = new URL(authorizationUrl);
    const parameters = {
      response_type: "code",
      client_id: settings.clientId,
      redirect_uri: redirectUri,
      scope: [...new Set(["openid", ...settings.scopes])].join(" "),
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: challengeOf(attempt.verifier),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value);
    return { location: location.href, attempt };
  }

  /**
   * The ID token of whoever comes back, and where they wanted to go. Its signature is still to be checked, as that of
   * any JWT. `Unauthorized` when they were not sent by this server, or the issuer did not sign them in.
   */
  async finish({ cookie, answer, redirectUri }: OidcReturn): Promise<{ idToken: string; to: string }> {
    const attempt = this.#requireAttempt(cookie, answer.state);
    const document = await this.#document();
    this.#requireIssuer(document, answer.iss);
    if (answer.error !== undefined) {
      const error = errorPattern.test(answer.error) ? answer.error : "an error without a name";
      throw unauthorized(`The OIDC issuer did not sign you in: ${error}.`);
    }
    if (answer.code === undefined || answer.code === "")
      throw unauthorized("The OIDC issuer sent you back without a code.");
    const idToken = await this.#exchange(document, attempt, { code: answer.code, redirectUri });
    this.#requireOwn(idToken, attempt);
    return { idToken, to: attempt.to };
  }

  close(): void {
    this.#closing.abort(new BowlineError("ServerUnavailable", "The server is stopping."));
  }

  #requireAttempt(cookie: string | undefined, state: string | undefined): SignInAttempt {
    const attempt = cookie === undefined ? undefined : readAttempt(cookie);
    if (attempt === undefined) throw unauthorized("This browser has not begun to sign in, or too long ago.");
    if (this.#options.clock.now() >= attempt.expiresAtMs)
      throw unauthorized("The sign-in took longer than ten minutes; begin again.");
    if (state === undefined || !isStateOf(attempt, state))
      throw unauthorized("The answer of the OIDC issuer belongs to another sign-in; begin again.");
    return attempt;
  }

  /** An answer of another issuer would have us send a code of one to the other (RFC 9207). */
  #requireIssuer({ namesItself }: IssuerDocument, iss: string | undefined): void {
    const isOther = iss === undefined ? namesItself : iss !== this.#options.settings.issuer;
    if (isOther) throw unauthorized("The answer is not from the OIDC issuer that you were sent to.");
  }

  async #exchange(
    { tokenUrl, secretMethods }: IssuerDocument,
    { verifier }: SignInAttempt,
    { code, redirectUri }: { readonly code: string; readonly redirectUri: string },
  ): Promise<string> {
    const { clientId, clientSecret } = this.#options.settings;
    if (tokenUrl === undefined) throw unusable("there are no tokens at");
    const isBasic = clientSecret !== undefined && secretMethods.includes("client_secret_basic");
    const form = new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...(isBasic ? {} : { client_id: clientId }),
      ...(clientSecret === undefined || isBasic ? {} : { client_secret: clientSecret }),
    });
    const headers = isBasic ? { authorization: basic(clientId, clientSecret) } : {};
    const tokens = await this.#ask(() => fetchJson(tokenUrl, { ...this.#fetchOptions, form, headers }));
    const idToken = isRecord(tokens) ? tokens["id_token"] : undefined;
    if (typeof idToken === "string" && idToken !== "") return idToken;
    throw unauthorized("The OIDC issuer gave no ID token for the code.");
  }

  /** What the check of any JWT does not know: that this one was made for this sign-in, and for this client. */
  #requireOwn(idToken: string, { nonce: expected }: SignInAttempt): void {
    const { nonce, aud, azp } = claimsIn(idToken);
    if (nonce !== expected) throw unauthorized("The ID token was made for another sign-in; begin again.");
    const isShared = Array.isArray(aud) && aud.length > 1;
    const { clientId } = this.#options.settings;
    if ((isShared || azp !== undefined) && azp !== clientId)
      throw unauthorized("The ID token was made for another client of the OIDC issuer.");
  }

  #document(): Promise<IssuerDocument> {
    const nowMs = this.#options.clock.monotonicMs();
    const known = this.#known;
    const ageMs = nowMs - (known?.askedMs ?? -Infinity);
    if (known !== undefined && ageMs < (known.failed ? cooldownMs : documentAgeMs)) return known.document;
    const { issuer } = this.#options.settings;
    const document = this.#ask(() => fetchIssuerDocument(issuer, this.#fetchOptions));
    const asked: KnownDocument = { document, askedMs: nowMs, failed: false };
    document.catch(() => (asked.failed = true));
    this.#known = asked;
    return document;
  }

  /** The cause is for the log: it may have what the issuer says in it. */
  async #ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    try {
      return await question();
    } catch (error) {
      if (BowlineError.from(error).details?.["status"] === 400)
        throw unauthorized("The OIDC issuer does not accept the code: it was used, or is too old.");
      throw new BowlineError(
        "ServerUnavailable",
        "The OIDC issuer does not answer as it should; try again later.",
        { cause: BowlineError.from(error) },
      );
    }
  }

  get #fetchOptions(): FetchJsonOptions {
    const { fetch = globalThis.fetch, clock } = this.#options;
    return { fetch, clock, signal: this.#closing.signal };
  }
}

function claimsIn(idToken: string): Readonly<Record<string, unknown>> {
  try {
    return decodeJwt(idToken);
  } catch {
    throw unauthorized("The ID token of the OIDC issuer is malformed.");
  }
}

/** As OAuth has it, which encodes both parts before the colon is put between them (RFC 6749, 2.3.1). */
function basic(clientId: string, clientSecret: string): string {
  const encoded = [clientId, clientSecret].map((part) =>
    new URLSearchParams({ "": part }).toString().slice(1),
  );
  return `Basic ${Buffer.from(encoded.join(":")).toString("base64")}`;
}

function unusable(what: string): BowlineError {
  return new BowlineError("ServerUnavailable", `By its own account, ${what} the OIDC issuer.`);
}
