import { connectionFailure, type ConnectionFailure } from "@bowline/core";

import type { GitCredential } from "../model/credential.ts";
import { cancelled, GitError, withoutProxy, type GitErrorCode } from "../model/git-error.ts";
import type { RepositoryAddress } from "../model/repository-url.ts";
import { scrubberOf } from "../model/scrub.ts";

interface Asked {
  readonly address: RepositoryAddress;
  readonly credential: GitCredential | undefined;
  readonly signal: AbortSignal;
}

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The error that an answer other than the one asked for means. */
export function statusError({ status, headers }: Head, { address, credential }: Asked): GitError {
  const { url } = address;
  const details = { url, status };
  if (status === 401 || status === 403) {
    const refusal =
      credential === undefined || credential.type === "none"
        ? "asks for a credential; name one that may read the repository"
        : status === 401
          ? "does not accept the credential; it may have run out or been revoked"
          : "does not let this credential read the repository";
    return new GitError("AuthFailed", `${url} ${refusal}.`, { details });
  }
  if (status === 404 || status === 410) {
    return new GitError(
      "RepositoryNotFound",
      `There is no repository at ${url}, or the credential may not see it.`,
      {
        details,
      },
    );
  }
  if (status === 429) {
    const retryAfterMs = retryAfter(headers["retry-after"]);
    return new GitError("TooManyRequests", `${url} asks for patience: it was asked too often.`, {
      details: { ...details, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
    });
  }
  if (status >= 300 && status < 400) return redirected(headers["location"], { address, credential, details });
  if (status >= 500) {
    const retryAfterMs = retryAfter(headers["retry-after"]);
    return new GitError("ServerError", `${url} failed with status ${status}.`, {
      details: { ...details, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
    });
  }
  return new GitError("NotGit", `Something answers at ${url}, but not a git server; check the address.`, {
    details,
  });
}

/** The address is for the reader, who compares it: no credential goes there. */
function redirected(
  location: string | string[] | undefined,
  { address, credential, details }: Omit<Asked, "signal"> & { readonly details: object },
): GitError {
  const target = URL.parse(String(location), address.url);
  if (target !== null) {
    target.username = "";
    target.password = "";
    target.search = "";
    target.pathname = target.pathname.replace(/\/(?:info\/refs|git-upload-pack)$/u, "");
  }
  const to = target === null ? "another address" : scrubberOf(credential)(target.href);
  return new GitError(
    "Redirected",
    `${address.url} sends its clients to ${to}, which Bowline does not follow; if that is right, write it as the url.`,
    { details: { ...details, location: to } },
  );
}

const longestRetryAfterMs = 24 * 3_600_000;

/** Seconds, or a date. */
function retryAfter(header: string | string[] | undefined): number | undefined {
  const text = String(header ?? "").trim();
  const ms = /^\d{1,9}$/u.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) || text === "" ? undefined : Math.min(Math.max(ms, 0), longestRetryAfterMs);
}

/** Meanings of failures, with `@` for the address. */
const failures: Readonly<Record<ConnectionFailure, readonly [code: GitErrorCode, says: string]>> = {
  expired: ["CertificateExpired", "The certificate of @ has expired"],
  notYetValid: [
    "CertificateExpired",
    "The certificate of @ is not valid yet; check the clock of this machine",
  ],
  clientExpired: ["CertificateExpired", "The certificate that the credential has for @ has expired"],
  untrusted: [
    "CertificateUntrusted",
    "The certificate of @ is not signed by an authority that is trusted here; put the authority into caPem",
  ],
  wrongName: ["CertificateUntrusted", "The certificate of @ is for another name; check the address"],
  clientRefused: ["AuthFailed", "@ does not accept the certificate of this client"],
  unresolved: ["Unreachable", `The host of @ is not known; check the address. ${withoutProxy}`],
  notHttp: ["NotGit", "Something answers at @, but not a git server; check the address"],
  notTls: ["NotGit", "Something answers at @, but not over TLS; check the address"],
  slow: ["Timeout", "@ took the request and did not answer in time"],
  broken: ["ResponseInvalid", "The answer of @ was cut off"],
  refused: ["Unreachable", "Nothing listens at @"],
  silent: ["Unreachable", `@ does not answer. ${withoutProxy}`],
  invalid: ["InvalidArgument", "A request to @ cannot be made; check the address and the credential"],
  other: ["Unreachable", `@ cannot be reached. ${withoutProxy}`],
};

/** The error that a failure of the connection means; passes on one that has a meaning already. */
export function connectionError(error: unknown, { address, signal }: Asked): GitError {
  if (error instanceof GitError) return error;
  if (signal.aborted) return signal.reason instanceof GitError ? signal.reason : cancelled(signal);
  const { failure, errno } = connectionFailure(error);
  const { url } = address;
  const [code, says] = failures[failure];
  const reason = errno === "" ? "" : ` (${errno})`;
  return new GitError(code, `${says.replace("@", url)}${reason}.`, { details: { url, errno } });
}
