import { Credential } from "@bowline/api";
import { GitError, type GitCredential } from "@bowline/git";
import type { ObjectStore } from "@bowline/store";

/** The Credential of that name, as git needs it; undefined where none is named. */
export async function gitCredential(
  objects: Pick<ObjectStore, "reveal">,
  name: string | undefined,
): Promise<GitCredential | undefined> {
  if (name === undefined) return undefined;
  const found = await objects.reveal(Credential, name);
  if (found === undefined) {
    throw new GitError(
      "CredentialRefused",
      `There is no Credential ${name}; create it, or name another one.`,
    );
  }
  const { type, data = {}, hosts = [] } = found.spec;
  const { caPem, clientCert, clientKey } = data;
  const base = { fingerprint: found.status.fingerprint ?? "", hosts, caPem, clientCert, clientKey };
  if (type === "basic") {
    return { ...base, type, username: data["username"] ?? "", password: data["password"] ?? "" };
  }
  if (type === "token") return { ...base, type, token: data["token"] ?? "", username: data["username"] };
  if (type === "ssh-key") {
    const { privateKey = "", passphrase, knownHosts } = data;
    return { ...base, type, privateKey, passphrase, knownHosts };
  }
  if (type === "tls") return { ...base, type: "none" };
  throw new GitError(
    "CredentialRefused",
    `The Credential ${name} is of type ${type}, which git cannot use; it needs basic, token, ssh-key or tls.`,
  );
}
