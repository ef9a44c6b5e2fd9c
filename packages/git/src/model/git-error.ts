import { BowlineError, type BowlineErrorOptions, type ErrorCode } from "@bowline/core";

/** Every code that this package's errors have; `docs/reference/errors.md` explains them. */
export type GitErrorCode = Extract<
  ErrorCode,
  | "AuthFailed"
  | "Cancelled"
  | "CertificateExpired"
  | "CertificateUntrusted"
  | "CommitNotFound"
  | "CredentialRefused"
  | "HostKeyMismatch"
  | "HostKeyUnknown"
  | "InvalidArgument"
  | "MissingProgram"
  | "NotDescendant"
  | "NotGit"
  | "NotVerified"
  | "PathNotFound"
  | "ProcessFailed"
  | "Redirected"
  | "RefAmbiguous"
  | "RefNotFound"
  | "RepositoryNotFound"
  | "ResponseInvalid"
  | "ServerError"
  | "Timeout"
  | "TooLarge"
  | "TooManyRequests"
  | "Unreachable"
  | "UnreadableFile"
  | "UnsafePath"
>;

/** What went wrong with a repository. `details` has the numbers and paths that the message names. */
export class GitError extends BowlineError {
  declare readonly code: GitErrorCode;

  // oxlint-disable-next-line no-useless-constructor -- narrows the codes that may be given.
  constructor(code: GitErrorCode, message: string, options: BowlineErrorOptions = {}) {
    super(code, message, options);
  }
}

/** The error of work that was given up because a signal said so. */
export function cancelled(signal: AbortSignal): GitError {
  return new GitError("Cancelled", "The work on the repository was stopped.", { cause: signal.reason });
}

/** Said where a network that lets nobody out but by a proxy may be why a server is not reached. */
export const withoutProxy =
  "Bowline asks git servers directly, by no proxy, whatever HTTPS_PROXY says: let this machine reach it";
