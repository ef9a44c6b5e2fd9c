import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { GitError } from "../model/git-error.ts";
import type { GitSetting } from "../run/git-settings.ts";
import type { GitRunner } from "../run/git-runner.ts";
import { keyFingerprint } from "../run/known-hosts.ts";
import type { VerificationKey } from "./verification.ts";

/** The keys of one verification, and no others, as git and gpg take them. */
export interface Keyring extends AsyncDisposable {
  readonly settings: readonly GitSetting[];
  readonly variables: Readonly<Record<string, string>>;
  /** When a key of SSH expires, by its fingerprint. */
  readonly expiry: ReadonlyMap<string, number>;
}

const importTimeoutMs = 20_000;
const sshKey = /^((?:ssh|ecdsa|sk)-[\w@.-]+) ([A-Za-z0-9+/]+=*)(?: (.*))?$/u;

/** No agent, no network, no web of trust: a key counts because it is here. */
const gpgSettings = [
  "batch",
  "no-tty",
  "no-autostart",
  "disable-dirmngr",
  "no-auto-key-locate",
  "no-auto-key-retrieve",
  "trust-model always",
  "",
].join("\n");

export async function openKeyring(keys: readonly VerificationKey[], runner: GitRunner): Promise<Keyring> {
  const folder = await runner.privateFolder();
  try {
    const ssh = keys.filter((key) => key.type === "ssh").map(readSshKey);
    const signers = await folder.file("allowed_signers", ssh.map(({ line }) => line).join(""));
    const home = join(folder.path, "gnupg");
    await mkdir(home, { mode: 0o700 });
    await folder.file("gnupg/gpg.conf", gpgSettings);
    const armoured = keys.filter((key) => key.type === "gpg").map(({ publicKey }) => publicKey);
    if (armoured.length > 0) await importKeys(armoured, home, runner);
    return {
      settings: [["gpg.ssh.allowedSignersFile", signers]],
      variables: { GNUPGHOME: home },
      expiry: new Map(ssh.map(({ fingerprint, expiresAtMs }) => [fingerprint, expiresAtMs])),
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}

interface SshSigner {
  readonly line: string;
  readonly fingerprint: string;
  readonly expiresAtMs: number;
}

function readSshKey(key: Extract<VerificationKey, { type: "ssh" }>): SshSigner {
  const [, type, body, comment] = sshKey.exec(key.publicKey.trim()) ?? [];
  if (type === undefined || body === undefined) {
    throw new GitError(
      "InvalidArgument",
      "A key to verify with is not a public key of SSH; copy a line of a .pub file.",
    );
  }
  const fingerprint = keyFingerprint(body);
  const name = (key.principal ?? comment ?? "").replaceAll(/[^\w.@+-]+/gu, "-");
  // Without a name of its own the key is called by its fingerprint; a list or pattern of names it must not be.
  const principal = name === "" ? fingerprint : name;
  return {
    line: `${principal} namespaces="git" ${type} ${body}\n`,
    fingerprint,
    expiresAtMs: key.expiresAtMs ?? Number.POSITIVE_INFINITY,
  };
}

async function importKeys(armoured: readonly string[], home: string, runner: GitRunner): Promise<void> {
  const { exitCode } = await runner.run({
    program: "gpg",
    args: ["--import"],
    variables: { GNUPGHOME: home },
    input: armoured.join("\n"),
    timeoutMs: importTimeoutMs,
  });
  if (exitCode === 0) return;
  throw new GitError(
    "InvalidArgument",
    "A key to verify with is not a public key of gpg; export it with gpg --armor.",
  );
}
