import { isIP } from "node:net";
import { domainToASCII } from "node:url";

import { GitError } from "./git-error.ts";

export type GitProtocol = "https" | "http" | "ssh" | "file";

/** An address of a repository, read. */
export interface RepositoryAddress {
  readonly protocol: GitProtocol;
  /** Lower case, without brackets; empty for `file`. */
  readonly host: string;
  /** Undefined for the protocol's own. */
  readonly port: number | undefined;
  /** Of SSH only, where it is a part of the address. */
  readonly user: string | undefined;
  /** Begins with a slash, as written. */
  readonly path: string;
  /** The form that git is given, which has no secret in it. */
  readonly url: string;
}

const ownPorts: Readonly<Record<GitProtocol, number | undefined>> = {
  https: 443,
  http: 80,
  ssh: 22,
  file: undefined,
};

const longestUrl = 2_048;
const noRepository = "must name a repository after the host";
const scpLike = /^(?:([^@/:\s]+)@)?(\[[0-9a-f:.]+\]|[^/:@\s[\]]+):(?!\/\/)(.+)$/iu;
const hostName = /^[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?$/u;
const userName = /^[a-z0-9_.][\w.+-]*$/iu;

/** Reads an address such as `https://host/team/app.git`, `ssh://git@host/app.git`, `git@host:app.git` or `file:///…`. */
export function parseRepositoryUrl(text: string): RepositoryAddress {
  const address = readAddress(text);
  if (typeof address !== "string") return address;
  throw new GitError("InvalidArgument", `The address of the repository ${address}.`);
}

/**
 * One form for all ways to write an address: no default port, no `.git`, no slash at the end, the host in lower case.
 * Undefined for what is no address of a repository.
 */
export function normaliseUrl(text: string): string | undefined {
  const address = readAddress(text);
  return typeof address === "string" ? undefined : normalisedAddress(address);
}

export function normalisedAddress(address: RepositoryAddress): string {
  const { protocol, host, port, user, path, url } = address;
  const trimmed = (url.includes("://") ? path : asUrlPath(path))
    .replaceAll(/\/{2,}/gu, "/")
    .replace(/\/$/u, "")
    // Unless dots are left, which mean another folder.
    .replace(/(?<=\/)(?!(?:\.|%2[eE]){1,2}(?:\.git)+$)([^/]+?)(?:\.git)+$/u, "$1");
  const account = user === undefined ? "" : `${user}@`;
  return `${protocol}://${account}${authority(host, port)}${trimmed}`;
}

/** The address, or what is wrong with it, to stand behind "The address of the repository". */
function readAddress(text: string): RepositoryAddress | string {
  if (text.length > longestUrl || /[\s\p{Cc}]/u.test(text)) {
    return `must have at most ${longestUrl} characters, without spaces`;
  }
  if (text.includes("://")) return readUrl(text);
  const [, user, host, path] = scpLike.exec(text) ?? [];
  if (host === undefined || path === undefined) return "must begin with https://, ssh:// or file:///";
  const absolute = path.startsWith("/") ? path : `/${path}`;
  if (/^\/*$/u.test(asUrlPath(absolute))) return noRepository;
  // Kept as it was written: a path without a slash is relative to the home of the user.
  return checked({ protocol: "ssh", host, port: undefined, user, path: absolute }, text);
}

function readUrl(text: string): RepositoryAddress | string {
  if (!URL.canParse(text)) return "is not a URL";
  const { protocol: scheme, username, password, hostname, port, pathname, search, hash } = new URL(text);
  const protocol = scheme.slice(0, -1);
  if (protocol === "git") {
    return "begins with git://, where nobody can tell who answers and what was changed on the way; use https:// or ssh://";
  }
  if (!isProtocol(protocol)) return "must begin with https://, ssh:// or file:///";
  if (password !== "" || (username !== "" && protocol !== "ssh")) {
    return "must not contain a user name or password; put them into a Credential";
  }
  if (search !== "" || hash !== "") return "must not contain ? or #";
  if (protocol === "file") {
    if (hostname !== "" || /^\/*$/u.test(pathname)) return "must have three slashes and a folder after file:";
    // git does not decode it, so that it would mean another folder there.
    if (pathname.includes("%")) return "must not contain % or a character that needs it";
    return {
      protocol,
      host: "",
      port: undefined,
      user: undefined,
      path: pathname,
      url: `file://${pathname}`,
    };
  }
  const user = username === "" ? undefined : username;
  const own = port === "" || Number(port) === ownPorts[protocol] ? undefined : Number(port);
  return checked({ protocol, host: hostname, port: own, user, path: pathname });
}

/** Nothing in host or user may be taken for an option by a program that gets it as an argument. */
function checked(parts: Omit<RepositoryAddress, "url">, written?: string): RepositoryAddress | string {
  const bare = parts.host.replaceAll(/^\[|\]$/gu, "");
  const host = isIP(bare) === 0 ? domainToASCII(bare.toLowerCase()).replace(/\.$/u, "") : bare.toLowerCase();
  if (isIP(host) === 0 && !hostName.test(host)) return "must name a host";
  if (parts.user !== undefined && !userName.test(parts.user))
    return "has a user name that SSH does not allow";
  if (/^\/*$/u.test(parts.path)) return noRepository;
  const account = parts.user === undefined ? "" : `${parts.user}@`;
  const url = written ?? `${parts.protocol}://${account}${authority(host, parts.port)}${parts.path}`;
  return { ...parts, host, url };
}

/** A path that was written without a scheme is literal; in a URL the same one has other characters. */
function asUrlPath(path: string): string {
  const escaped = path.replaceAll("%", "%25").replaceAll("?", "%3F").replaceAll("#", "%23");
  return new URL(`ssh://host${escaped}`).pathname;
}

function authority(host: string, port: number | undefined): string {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return port === undefined ? name : `${name}:${port}`;
}

function isProtocol(text: string): text is GitProtocol {
  return Object.hasOwn(ownPorts, text);
}
