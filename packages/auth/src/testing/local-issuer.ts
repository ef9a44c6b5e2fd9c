import { hash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

import { BowlineError } from "@bowline/core";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from "jose";
import { onTestFinished } from "vitest";

import type { OidcSettings } from "../oidc/oidc-settings.ts";

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

/**
 * - `up`: answers
 * - `down`: answers with an error
 * - `silent`: takes the request and never answers
 * - `huge`: answers with more than anybody wants
 * - `elsewhere`: sends whoever asks to another address, which answers
 */
type Behaviour = "up" | "down" | "silent" | "huge" | "elsewhere";

/** Somebody who signed in and was sent back with a code. */
interface Authorization {
  readonly parameters: URLSearchParams;
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * An issuer of OpenID Connect on this machine: it serves its keys, signs whatever it is asked to, and lets everybody who
 * comes to sign in do so without asking.
 */
export class LocalIssuer {
  readonly audience = "bowline";
  behaviour: Behaviour = "up";
  /** How often somebody asked for anything, and for the keys. */
  requests = 0;
  keyRequests = 0;
  /** The issuer that the discovery document names; its address when not given. */
  claimsToBe: string | undefined;
  /** Where the discovery document says that the keys are; below its address when not given. */
  keysAt: string | undefined;
  /** How it answers when a code is to be exchanged. */
  tokenBehaviour: Behaviour = "up";
  /** The secret that its client has to show; none when not given. */
  clientSecret: string | undefined;
  /** Put into the ID tokens of those who sign in. */
  signInClaims: Readonly<Record<string, unknown>> = {};
  /** Parameters with which browsers are sent back, instead of those that are right; undefined leaves one out. */
  answerWith: Readonly<Record<string, string | undefined>> = {};
  /** Whether it names itself when it sends browsers back, and says so (RFC 9207). */
  namesItself = true;
  /** What was sent to exchange codes, the last one last. */
  readonly exchanges: { readonly form: URLSearchParams; readonly authorization: string | undefined }[] = [];
  readonly #codes = new Map<string, Authorization>();
  readonly #server: Server;
  #keys: SigningKey[] = [];
  #count = 0;

  /** It is stopped when the test ends. */
  static async start(): Promise<LocalIssuer> {
    const server = createServer();
    const issuer = new LocalIssuer(server);
    server.on("request", (request, response) => issuer.#route(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => issuer.stop());
    await issuer.rotate();
    return issuer;
  }

  private constructor(server: Server) {
    this.#server = server;
  }

  /** The settings of a server that trusts this issuer. */
  settings(more: Partial<OidcSettings> = {}): OidcSettings {
    return {
      issuer: this.url,
      clientId: this.audience,
      userClaim: "email",
      groupsClaim: "groups",
      userPrefix: "oidc-",
      groupsPrefix: "oidc-",
      roles: {},
      ...more,
    };
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string")
      throw new BowlineError("Internal", "It does not listen.");
    return `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** A new key takes the place of the others, or is published beside them. */
  async rotate(options: { readonly alg?: string; readonly keepOld?: boolean } = {}): Promise<void> {
    const { alg = "ES256", keepOld = false } = options;
    this.#count += 1;
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const kid = `key-${this.#count}`;
    const publicJwk = { ...(await exportJWK(publicKey)), kid, alg, use: "sig" };
    this.#keys = [...(keepOld ? this.#keys : []), { kid, alg, privateKey, publicJwk }];
  }

  /** The newest key as everybody can read it. */
  get publicJwk(): JWK {
    return this.#newest.publicJwk;
  }

  /** A JWT that is right in everything but what is given. What is undefined is left out. */
  async sign(claims: Readonly<Record<string, unknown>> = {}, header: object = {}): Promise<string> {
    const { kid, alg, privateKey } = this.#newest;
    const complete: JWTPayload = {
      iss: this.url,
      aud: this.audience,
      sub: "0001",
      email: "editor@example.com",
      exp: Math.floor(Date.now() / 1_000) + 600,
      ...claims,
    };
    return new SignJWT(complete).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
  }

  get #newest(): SigningKey {
    const newest = this.#keys.at(-1);
    if (newest === undefined) throw new BowlineError("Internal", "The issuer has no key.");
    return newest;
  }

  /** The address that a browser is sent back to, as if somebody had signed in at the address it was sent to. */
  signIn(location: string): string {
    const { searchParams: parameters } = new URL(location);
    this.#count += 1;
    const code = `code-${this.#count}`;
    this.#codes.set(code, { parameters, claims: this.signInClaims });
    const back = new URL(parameters.get("redirect_uri") ?? "");
    const answer = {
      code,
      state: parameters.get("state") ?? "",
      ...(this.namesItself ? { iss: this.url } : {}),
      ...this.answerWith,
    };
    for (const [name, value] of Object.entries(answer))
      if (value !== undefined) back.searchParams.set(name, value);
    return back.href;
  }

  #route(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? "", this.url);
    if (pathname === "/authorize") {
      response.writeHead(302, { location: this.signIn(`${this.url}${request.url}`) }).end();
    } else if (pathname === "/token") {
      void this.#exchange(request, response);
    } else {
      this.#answer(pathname, response);
    }
  }

  async #exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const { authorization } = request.headers;
    this.exchanges.push({ form, authorization });
    const granted = this.#codes.get(form.get("code") ?? "");
    this.#codes.delete(form.get("code") ?? "");
    const challenge = hash("sha256", form.get("code_verifier") ?? "", "base64url");
    const isGood =
      granted !== undefined &&
      granted.parameters.get("code_challenge") === challenge &&
      granted.parameters.get("redirect_uri") === form.get("redirect_uri") &&
      (this.clientSecret === undefined ||
        authorization === `Basic ${btoa(`${this.audience}:${this.clientSecret}`)}`);
    if (!isGood) {
      response.writeHead(400, { "content-type": "application/json" }).end('{"error":"invalid_grant"}');
      return;
    }
    const nonce = granted.parameters.get("nonce") ?? undefined;
    const id_token = await this.sign({ nonce, ...granted.claims });
    this.#send({ access_token: "access", token_type: "Bearer", id_token }, this.tokenBehaviour, response);
  }

  #answer(path: string, response: ServerResponse): void {
    this.requests += 1;
    if (path === "/keys") this.keyRequests += 1;
    if (this.behaviour === "elsewhere") {
      this.behaviour = "up";
      response.writeHead(302, { location: path }).end();
    } else {
      this.#send(this.#document(path), this.behaviour, response);
    }
  }

  #send(document: object, behaviour: Behaviour, response: ServerResponse): void {
    switch (behaviour) {
      case "silent":
        return;
      case "down":
        response.writeHead(500).end();
        return;
      case "huge":
        response.writeHead(200).end(" ".repeat(2 ** 21) + JSON.stringify(document));
        return;
      case "elsewhere":
        response.writeHead(302, { location: "/keys" }).end();
        return;
      case "up":
      default:
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(document));
    }
  }

  #document(path: string): object {
    if (path === "/keys") return { keys: this.#keys.map(({ publicJwk }) => publicJwk) };
    return {
      issuer: this.claimsToBe ?? this.url,
      jwks_uri: this.keysAt ?? `${this.url}/keys`,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      authorization_response_iss_parameter_supported: this.namesItself,
    };
  }
}
