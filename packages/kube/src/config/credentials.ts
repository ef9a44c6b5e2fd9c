import { BowlineError, type Clock } from "@bowline/core";
import { ReloadedFile } from "./text-file.ts";

/** The proof of the client's identity in one request. */
export interface Credential {
  /** The whole `Authorization` header. */
  readonly authorization?: string;
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
}

/** Where credentials come from; they may change from one request to the next. */
export interface Credentials {
  current(): Promise<Credential>;
  /** After the server refused `used`: what to try instead, or `undefined` when there is nothing else to try. */
  replace(used: Credential): Promise<Credential | undefined>;
  close(): void;
}

/** The header for a token. One that HTTP would refuse must not end up, with its value, in HTTP's error. */
export function bearer(token: string, source: string): string {
  const trimmed = token.trim();
  if (trimmed === "" || /[^\x21-\x7e]/.test(trimmed)) {
    throw new BowlineError(
      "KubeconfigInvalid",
      `The bearer token from ${source} is empty or holds characters no token has.`,
    );
  }
  return `Bearer ${trimmed}`;
}

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`;
}

/** For credentials that stay as they are: a server that refuses them once refuses them always. */
export function fixedCredentials(credential: Credential): Credentials {
  return {
    current: () => Promise.resolve(credential),
    replace: () => Promise.resolve(undefined),
    close: () => undefined,
  };
}

/** A token in a file that others renew, such as the one of a ServiceAccount. */
export class TokenFileCredentials implements Credentials {
  readonly #file: ReloadedFile;
  readonly #source: string;

  constructor(path: string, clock: Clock) {
    this.#file = new ReloadedFile(path, "the token file", clock);
    this.#source = `the file ${path}`;
  }

  async current(): Promise<Credential> {
    return { authorization: bearer(await this.#file.text(), this.#source) };
  }

  async replace(used: Credential): Promise<Credential | undefined> {
    const authorization = bearer(await this.#file.reload(), this.#source);
    return authorization === used.authorization ? undefined : { authorization };
  }

  close(): void {
    // Holds nothing open between reads.
  }
}
