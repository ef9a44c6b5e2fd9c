import { createServer, type Server, type ServerResponse } from "node:http";

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

/** An issuer of OpenID Connect on this machine: it serves its keys and signs whatever it is asked to. */
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
  readonly #server: Server;
  #keys: SigningKey[] = [];
  #count = 0;

  /** It is stopped when the test ends. */
  static async start(): Promise<LocalIssuer> {
    const server = createServer();
    const issuer = new LocalIssuer(server);
    server.on("request", (request, response) => issuer.#answer(request.url ?? "", response));
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

  #answer(path: string, response: ServerResponse): void {
    this.requests += 1;
    if (path === "/keys") this.keyRequests += 1;
    switch (this.behaviour) {
      case "silent":
        return;
      case "down":
        response.writeHead(500).end();
        return;
      case "huge":
        response.writeHead(200).end(" ".repeat(2 ** 21) + JSON.stringify(this.#document(path)));
        return;
      case "elsewhere":
        this.behaviour = "up";
        response.writeHead(302, { location: path }).end();
        return;
      case "up":
      default:
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(this.#document(path)));
    }
  }

  #document(path: string): object {
    if (path === "/keys") return { keys: this.#keys.map(({ publicJwk }) => publicJwk) };
    return { issuer: this.claimsToBe ?? this.url, jwks_uri: this.keysAt ?? `${this.url}/keys` };
  }
}
