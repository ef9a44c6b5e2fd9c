import { isLoopback } from "@bowline/core";

import { GitError } from "./git-error.ts";
import type { RepositoryAddress } from "./repository-url.ts";

interface CredentialBase {
  /** Changes with the values and tells nothing about them; repositories are cached by it. */
  readonly fingerprint: string;
  /** `host` or `host:port` that it may be sent to; undefined for any. */
  readonly hosts?: readonly string[] | undefined;
  /** Authorities to trust in the place of the system's, as PEM. */
  readonly caPem?: string | undefined;
  /** A certificate of this client, as PEM. */
  readonly clientCert?: string | undefined;
  readonly clientKey?: string | undefined;
}

/** How to sign in to a git server. Type `none` is for a server that only needs its own authority or a certificate. */
export type GitCredential = CredentialBase &
  (
    | { readonly type: "none" }
    | { readonly type: "basic"; readonly username: string; readonly password: string }
    | { readonly type: "token"; readonly token: string; readonly username?: string | undefined }
    | {
        readonly type: "ssh-key";
        readonly privateKey: string;
        readonly passphrase?: string | undefined;
        /** Lines as in `~/.ssh/known_hosts`. */
        readonly knownHosts?: string | undefined;
      }
  );

/** Hosts that want a token take any name beside it, except those that say which: it then is in the Credential. */
const nameBesideToken = "git";

/** The header for HTTP: the large hosts want a token as the password of basic authentication, not as a bearer's. */
export function authorizationOf(credential: GitCredential | undefined): string | undefined {
  const pair = namePair(credential);
  return pair === undefined ? undefined : `Basic ${Buffer.from(pair, "utf8").toString("base64")}`;
}

function namePair(credential: GitCredential | undefined): string | undefined {
  if (credential?.type === "basic") return `${credential.username}:${credential.password}`;
  if (credential?.type === "token") return `${credential.username ?? nameBesideToken}:${credential.token}`;
  return undefined;
}

/** Refuses to send a credential where it does not belong, before anything is sent. */
export function checkCredential(credential: GitCredential | undefined, address: RepositoryAddress): void {
  const problem = credential === undefined ? undefined : credentialProblem(credential, address);
  if (problem !== undefined)
    throw new GitError("CredentialRefused", problem, { details: { host: address.host } });
}

function credentialProblem(credential: GitCredential, address: RepositoryAddress): string | undefined {
  const { protocol, host } = address;
  if (credential.hosts?.some((entry) => lists(entry, address)) === false) {
    return `The credential may not be used for ${host}: it lists ${credential.hosts.join(", ") || "no host"}. Add the host to it, or correct the address.`;
  }
  const isForHttp = credential.type === "basic" || credential.type === "token";
  if (isForHttp && (protocol === "ssh" || protocol === "file")) {
    return `A credential of type ${credential.type} cannot be used with ${protocol}://; use an address with https://.`;
  }
  if (credential.type === "ssh-key" && protocol !== "ssh") {
    return `A credential of type ssh-key cannot be used with ${protocol}://; use an address with ssh://.`;
  }
  if (protocol === "http" && credential.type !== "none" && !isLoopback(host)) {
    return `The credential would be sent to ${host} for everybody on the way to read; use an address with https://.`;
  }
  // A line's end in a header or in an answer to git would begin something else.
  return /[\r\n\0]/u.test(namePair(credential) ?? "")
    ? "The user name, password or token contains a line break; write it again without."
    : undefined;
}

function lists(entry: string, { host, port, protocol }: RepositoryAddress): boolean {
  const [, bracketed, plain, wantedPort] =
    /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/u.exec(entry.toLowerCase()) ?? [];
  if ((bracketed ?? plain) !== host) return false;
  const ownPort = protocol === "ssh" ? 22 : protocol === "http" ? 80 : 443;
  return wantedPort === undefined || Number(wantedPort) === (port ?? ownPort);
}
