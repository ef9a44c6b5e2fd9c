import { GitError } from "../model/git-error.ts";

/** A public key whose signatures count. */
export type VerificationKey =
  | {
      readonly type: "ssh";
      /** A line as in `id_ed25519.pub`. */
      readonly publicKey: string;
      /** The name of its owner; the comment of the key when not given. */
      readonly principal?: string | undefined;
      readonly expiresAtMs?: number | undefined;
    }
  | {
      readonly type: "gpg";
      /** Armoured, as `gpg --armor --export` prints it. */
      readonly publicKey: string;
    };

export type VerificationFailure =
  | "badSignature"
  | "expiredKey"
  | "revokedKey"
  | "tagElsewhere"
  | "unknownKey"
  | "unsigned";

/** Who signed, or why that is not known. */
export type Verification =
  | {
      readonly verified: true;
      readonly type: VerificationKey["type"];
      readonly signer: string;
      /** `SHA256:…` for SSH, 40 hexadecimal digits for gpg. */
      readonly fingerprint: string;
    }
  | {
      readonly verified: false;
      readonly reason: VerificationFailure;
      readonly fingerprint?: string;
      /** `NotVerified`, with a sentence that says the reason. */
      readonly error: GitError;
    };

const sentences: Readonly<Record<VerificationFailure, string>> = {
  badSignature: "has a signature that is not for its content",
  expiredKey: "is signed with a key that has expired",
  revokedKey: "is signed with a key that was revoked",
  tagElsewhere: "is a tag for another name or another commit than the one that is used",
  unknownKey: "is signed with a key that is not trusted here",
  unsigned: "is not signed",
};

export function notVerified(
  subject: string,
  reason: VerificationFailure,
  fingerprint?: string,
): Verification {
  const key = fingerprint === undefined ? "" : ` (${fingerprint})`;
  const error = new GitError("NotVerified", `${subject} ${sentences[reason]}${key}.`, {
    details: { reason, ...(fingerprint === undefined ? {} : { fingerprint }) },
  });
  return { verified: false, reason, error, ...(fingerprint === undefined ? {} : { fingerprint }) };
}

/** Signs of gpg that a signature does not count, in the order of how bad they are. */
const gpgFailures: readonly (readonly [word: string, reason: VerificationFailure])[] = [
  ["BADSIG", "badSignature"],
  ["REVKEYSIG", "revokedKey"],
  ["EXPKEYSIG", "expiredKey"],
  ["EXPSIG", "expiredKey"],
  ["NO_PUBKEY", "unknownKey"],
  ["ERRSIG", "badSignature"],
];

/** Reads what `git verify-commit --raw` says. Nothing counts as verified but what says so word for word. */
export function readVerification(subject: string, exitCode: number | null, said: string): Verification {
  const isGpg = said.includes("[GNUPG:]");
  if (!isGpg) return readSsh(subject, exitCode, said);
  for (const [word, reason] of gpgFailures) {
    const [, key] = new RegExp(`^\\[GNUPG:\\] ${word} (\\S+)`, "mu").exec(said) ?? [];
    if (key !== undefined) return notVerified(subject, reason, gpgFingerprint(said) ?? key);
  }
  const [, signer] = /^\[GNUPG:\] GOODSIG \S+ (.+)$/mu.exec(said) ?? [];
  const fingerprint = gpgFingerprint(said);
  if (exitCode === 0 && signer !== undefined && fingerprint !== undefined) {
    return { verified: true, type: "gpg", signer, fingerprint };
  }
  return notVerified(subject, "badSignature");
}

/** The last word of the line is the primary key's, by which people know a key. */
function gpgFingerprint(said: string): string | undefined {
  const [, words] = /^\[GNUPG:\] VALIDSIG (.+)$/mu.exec(said) ?? [];
  return words?.trim().split(" ").at(-1);
}

function readSsh(subject: string, exitCode: number | null, said: string): Verification {
  const good = /^Good "git" signature for (\S+) with \S+ key (SHA256:\S+)$/mu.exec(said);
  if (exitCode === 0 && good !== null) {
    const [, signer = "", fingerprint = ""] = good;
    return { verified: true, type: "ssh", signer, fingerprint };
  }
  const [, fingerprint] = /^Good "git" signature with \S+ key (SHA256:\S+)$/mu.exec(said) ?? [];
  if (fingerprint !== undefined) return notVerified(subject, "unknownKey", fingerprint);
  return notVerified(
    subject,
    said.trim() === "" || /no signature found/iu.test(said) ? "unsigned" : "badSignature",
  );
}
