import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { runProgram } from "./run-git.ts";

/** A key to sign commits and tags with. */
export interface SigningKey {
  /** Options of git that make it sign with this key. */
  readonly settings: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A line of `ssh-keygen`, or the armoured key of gpg. */
  readonly publicKey: string;
}

export interface SshKeyPair extends SigningKey {
  readonly privateKey: string;
  readonly privateKeyFile: string;
  /** `SHA256:…` */
  readonly fingerprint: string;
}

export interface SshKeyOptions {
  readonly passphrase?: string;
  readonly comment?: string;
}

/** A new Ed25519 key in the folder. */
export async function makeSshKey(
  folder: string,
  name: string,
  { passphrase = "", comment = "test@example.com" }: SshKeyOptions = {},
): Promise<SshKeyPair> {
  const privateKeyFile = join(folder, name);
  const args = ["-q", "-t", "ed25519", "-N", passphrase, "-C", comment, "-f", privateKeyFile];
  await runProgram("ssh-keygen", args, { folder });
  const publicKey = (await readFile(`${privateKeyFile}.pub`, "utf8")).trim();
  const listed = (await runProgram("ssh-keygen", ["-l", "-f", privateKeyFile], { folder })).toString();
  return {
    settings: ["-c", "gpg.format=ssh", "-c", `user.signingkey=${privateKeyFile}`],
    env: {},
    publicKey,
    privateKeyFile,
    privateKey: await readFile(privateKeyFile, "utf8"),
    fingerprint: listed.split(" ")[1] ?? "",
  };
}

export interface GpgKey extends SigningKey, AsyncDisposable {
  /** 40 hexadecimal digits. */
  readonly fingerprint: string;
}

/** In 2020 the key that expires after 30 days was good, and so were its signatures. */
const expiredSettings = "faked-system-time 20200105T000000!\n";

/** A new key in a keyring of its own, whose agent ends with it. */
export async function makeGpgKey(
  parent: string,
  name: string,
  { expired = false }: { readonly expired?: boolean } = {},
): Promise<GpgKey> {
  const folder = join(parent, name);
  await mkdir(folder, { mode: 0o700 });
  if (expired) await writeFile(join(folder, "gpg.conf"), expiredSettings);
  const env = { GNUPGHOME: folder };
  const run = async (...args: readonly string[]): Promise<string> =>
    (await runProgram("gpg", ["--batch", "--passphrase", "", ...args], { folder, env })).toString();
  await run("--quick-generate-key", "test <test@example.com>", "ed25519", "sign", expired ? "30d" : "never");
  const listing = await run("--list-keys", "--with-colons");
  const fingerprint = /^fpr:+([0-9A-F]{40}):/mu.exec(listing)?.[1] ?? "";
  return {
    settings: ["-c", "gpg.format=openpgp", "-c", `user.signingkey=${fingerprint}`],
    env,
    publicKey: await run("--armor", "--export", fingerprint),
    fingerprint,
    async [Symbol.asyncDispose]() {
      await runProgram("gpgconf", ["--kill", "gpg-agent"], { folder, env });
    },
  };
}
