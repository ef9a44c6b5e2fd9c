import { shortened } from "@bowline/core";

import { GitError, withoutProxy, type GitErrorCode } from "../model/git-error.ts";
import type { Access } from "./access.ts";
import { knownFingerprints } from "./known-hosts.ts";

interface Meaning {
  readonly pattern: RegExp;
  readonly code: GitErrorCode;
  readonly says: string;
}

/** What git, curl and ssh say in the plain locale; the first that fits counts. `@` stands for the address. */
const meanings: readonly Meaning[] = [
  meaning(
    "AuthFailed",
    /could not read (?:Username|Password)|Authentication failed|returned error: 40[13]/iu,
    "@ does not accept the credential, or asks for one; check that it is there, has not run out and may read the repository",
  ),
  meaning(
    "AuthFailed",
    /Permission denied \(|Too many authentication failures|Load key .*(?:invalid format|error in libcrypto|incorrect passphrase)/iu,
    "@ does not accept the SSH key; check that the key is complete, that its passphrase is right and that the server knows it",
  ),
  meaning("TooManyRequests", /returned error: 429/u, "@ asks for patience"),
  meaning(
    "Redirected",
    /returned error: 30\d|unable to update url base from redirection/iu,
    "@ sends its clients to another address, which Bowline does not follow; write that address as the url",
  ),
  meaning(
    "RepositoryNotFound",
    /returned error: 404|repository '.*' not found|Repository not found|does not appear to be a git repository|does not exist/iu,
    "There is no repository at @, or the credential may not see it",
  ),
  meaning(
    "CertificateExpired",
    /certificate has expired|certificate is not yet valid|expired certificate/iu,
    "The certificate of @ is past its end or not valid yet",
  ),
  meaning(
    "CertificateUntrusted",
    /certificate verif|SSL certificate problem|self.signed certificate|unable to get local issuer|no alternative certificate subject name|does not match target host/iu,
    "The certificate of @ is not signed by an authority that is trusted here, or is for another name; put the authority into caPem",
  ),
  meaning(
    "Unreachable",
    /Could not resolve host|Name or service not known|Temporary failure in name resolution/iu,
    `The host of @ is not known; check the address. ${withoutProxy}`,
  ),
  meaning(
    "Unreachable",
    /Failed to connect|Connection refused|Connection timed out|Couldn't connect|No route to host|Network is unreachable|Operation timed out|Operation too slow/iu,
    `@ cannot be reached. ${withoutProxy}`,
  ),
  meaning("ServerError", /returned error: 5\d\d|remote: (?:fatal|aborting)/iu, "@ failed"),
  meaning(
    "ResponseInvalid",
    /early EOF|hung up unexpectedly|unexpected disconnect|RPC failed|invalid index-pack output|pack has bad|pack signature mismatch|transfer closed|fsck error|protocol error|bad line length|Connection (?:reset|closed)|invalid server response/iu,
    "The answer of @ was cut off, or is not one that git understands",
  ),
];

const longestQuote = 300;

/** The error that a failed command's words mean. All that it says of them has gone through the scrubber. */
export function gitFailure(
  complaint: string,
  access: Pick<Access, "address" | "credential" | "scrub">,
): GitError {
  const url = access.address.url;
  const hostKey = hostKeyFailure(complaint, access);
  if (hostKey !== undefined) return hostKey;
  const said = shortened(access.scrub(spokenLines(complaint).join("; ")), longestQuote);
  const quote = said === "" ? "" : ` (git said: ${said})`;
  const found = meanings.find(({ pattern }) => pattern.test(complaint));
  if (found === undefined) {
    return new GitError("ProcessFailed", access.scrub(`The git command for ${url} failed${quote}.`));
  }
  return new GitError(found.code, access.scrub(`${found.says.replace("@", url)}${quote}.`), {
    details: { url },
  });
}

/** ssh looks at the host's key before it shows its own. */
function hostKeyFailure(
  complaint: string,
  { address, credential }: Pick<Access, "address" | "credential">,
): GitError | undefined {
  if (!complaint.includes("Host key verification failed")) return undefined;
  const [, type = "", fingerprint = ""] = /Server host key: (\S+) (SHA256:\S+)/u.exec(complaint) ?? [];
  const shown = `${type} ${fingerprint}`;
  const knownHosts = credential?.type === "ssh-key" ? (credential.knownHosts ?? "") : "";
  const expected = knownFingerprints(knownHosts, address);
  const details = { host: address.host, shown, expected };
  if (expected.length > 0) {
    return new GitError(
      "HostKeyMismatch",
      `${address.host} showed the key ${shown}, and known_hosts has ${expected.join(", ")}: it was changed, or somebody is in between. Ask its owner before you put the new key into knownHosts.`,
      { details },
    );
  }
  return new GitError(
    "HostKeyUnknown",
    `Nothing in knownHosts is for ${address.host}, which showed the key ${shown}. If its owner says that this is right, put the key into knownHosts of the credential.`,
    { details },
  );
}

/** Without what ssh says to itself, and without advice for people at a terminal. */
function spokenLines(complaint: string): string[] {
  return complaint
    .split(/[\r\n]+/u)
    .map((line) => line.trim())
    .filter(
      (line) =>
        line !== "" && !/^(?:debug\d:|OpenSSH_|hint:|Authenticated to|Transferred:|Bytes per)/u.test(line),
    );
}

function meaning(code: GitErrorCode, pattern: RegExp, says: string): Meaning {
  return { code, pattern, says };
}
