import type { GitRunner } from "../run/git-runner.ts";
import { openKeyring } from "./keyring.ts";
import { notVerified, readVerification, type Verification, type VerificationKey } from "./verification.ts";

interface SignedTag {
  /** The id that the tag's name has. */
  readonly id: string;
  /** Without `refs/tags/`. */
  readonly name: string;
}

export interface VerifyRequest {
  readonly commit: string;
  /** Verifies this tag in the place of the commit, and that it is for the commit. */
  readonly tag?: SignedTag | undefined;
  readonly keys: readonly VerificationKey[];
}

interface VerifyContext {
  readonly runner: GitRunner;
  readonly repository: string;
  readonly signal: AbortSignal | undefined;
}

const timeoutMs = 20_000;

/** Verifies the signature of an object that the repository has. */
export async function verifyObject(request: VerifyRequest, context: VerifyContext): Promise<Verification> {
  const { commit, tag, keys } = request;
  const subject = tag === undefined ? `The commit ${commit}` : `The tag ${tag.name}`;
  if (tag?.id === commit) return notVerified(subject, "unsigned");
  if (tag !== undefined && !(await isTagOf(commit, tag, context)))
    return notVerified(subject, "tagElsewhere");
  await using keyring = await openKeyring(keys, context.runner);
  const { runner, repository, signal } = context;
  const { exitCode, complaint } = await runner.run({
    args: tag === undefined ? ["verify-commit", "--raw", commit] : ["verify-tag", "--raw", tag.id],
    repository,
    settings: keyring.settings,
    variables: keyring.variables,
    timeoutMs,
    signal,
  });
  const found = readVerification(subject, exitCode, complaint);
  const expiresAtMs = keyring.expiry.get(found.fingerprint ?? "");
  // By our clock, not by the commit's: whoever has an old key can write any date into a commit.
  if (found.verified && expiresAtMs !== undefined && expiresAtMs <= runner.clock.now()) {
    return notVerified(subject, "expiredKey", found.fingerprint);
  }
  return found;
}

/** A signed tag must not be taken for another: its name and what it is for are a part of what was signed. */
async function isTagOf(commit: string, tag: SignedTag, context: VerifyContext): Promise<boolean> {
  const { runner, repository, signal } = context;
  const read = async (...args: string[]): Promise<string> => {
    const { exitCode, output } = await runner.run({ args, repository, timeoutMs, signal });
    return exitCode === 0 ? output.toString("utf8") : "";
  };
  const peeled = await read("rev-parse", "--verify", "--quiet", "--end-of-options", `${tag.id}^{commit}`);
  const [head = ""] = (await read("cat-file", "tag", tag.id)).split("\n\n", 1);
  const [, name] = /^tag (.+)$/mu.exec(head) ?? [];
  return peeled.trim() === commit && name === tag.name;
}
