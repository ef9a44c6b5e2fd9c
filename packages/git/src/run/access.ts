import { authorizationOf, checkCredential, type GitCredential } from "../model/credential.ts";
import type { RepositoryAddress } from "../model/repository-url.ts";
import { scrubberOf, type Scrub } from "../model/scrub.ts";
import type { GitSetting } from "./git-settings.ts";
import { PrivateFolder } from "./private-folder.ts";

/** What one command needs to sign in somewhere; disposing it removes the files that hold secrets. */
export interface Access extends AsyncDisposable {
  readonly address: RepositoryAddress;
  readonly credential: GitCredential | undefined;
  readonly settings: readonly GitSetting[];
  readonly variables: Readonly<Record<string, string>>;
  readonly scrub: Scrub;
}

/** A credential as git takes it: in the environment of the one child, or in files of a private folder below `parent`. */
export async function openAccess(
  address: RepositoryAddress,
  credential: GitCredential | undefined,
  parent: string,
): Promise<Access> {
  checkCredential(credential, address);
  const folder = await PrivateFolder.create(parent);
  const remove = (): Promise<void> => folder[Symbol.asyncDispose]();
  try {
    const own = await (address.protocol === "ssh"
      ? sshAccess(credential, folder)
      : httpAccess(address, credential, folder));
    return { address, credential, scrub: scrubberOf(credential), ...own, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

type OwnPart = Pick<Access, "settings" | "variables">;

async function httpAccess(
  address: RepositoryAddress,
  credential: GitCredential | undefined,
  folder: PrivateFolder,
): Promise<OwnPart> {
  const { caPem, clientCert, clientKey } = credential ?? {};
  const settings: GitSetting[] = [];
  const authorization = authorizationOf(credential);
  // Bound to the one address, and redirects are not followed: it goes nowhere else.
  if (authorization !== undefined) {
    settings.push([`http.${address.url}.extraHeader`, `Authorization: ${authorization}`]);
  }
  if (caPem !== undefined) settings.push(["http.sslCAInfo", await folder.file("ca.pem", caPem)]);
  if (clientCert !== undefined && clientKey !== undefined) {
    settings.push(["http.sslCert", await folder.file("client.pem", clientCert)]);
    settings.push(["http.sslKey", await folder.file("client-key.pem", clientKey)]);
  }
  return { settings, variables: {} };
}

const connectTimeoutS = 15;

/** Nothing of the user's: no configuration, no agent, no keys, no known hosts. */
const sshOptions = [
  "IdentitiesOnly=yes",
  "IdentityAgent=none",
  "StrictHostKeyChecking=yes",
  "GlobalKnownHostsFile=/dev/null",
  "UpdateHostKeys=no",
  "PreferredAuthentications=publickey",
  "ForwardAgent=no",
  "ForwardX11=no",
  "ClearAllForwardings=yes",
  "PermitLocalCommand=no",
  "ControlMaster=no",
  "ControlPath=none",
  `ConnectTimeout=${connectTimeoutS}`,
  "ServerAliveInterval=15",
  "ServerAliveCountMax=2",
  // Says which key the host showed, also where nobody knows it yet.
  "LogLevel=DEBUG1",
];

async function sshAccess(credential: GitCredential | undefined, folder: PrivateFolder): Promise<OwnPart> {
  const key = credential?.type === "ssh-key" ? credential : undefined;
  const knownHosts = await folder.file("known_hosts", key?.knownHosts ?? "");
  const identity = await folder.file("key", key === undefined ? "" : `${key.privateKey.trimEnd()}\n`);
  const asks = key?.passphrase !== undefined;
  const options = [...sshOptions, `UserKnownHostsFile=${knownHosts}`, `BatchMode=${asks ? "no" : "yes"}`];
  const words = ["ssh", "-F", "none", "-i", identity, ...options.flatMap((option) => ["-o", option])];
  // git hands this one to a shell.
  const variables = { GIT_SSH_COMMAND: words.map(quotedForShell).join(" "), GIT_SSH_VARIANT: "ssh" };
  if (key?.passphrase === undefined) return { settings: [], variables };
  const answer = await folder.file("answer", '#!/bin/sh\nprintf "%s\\n" "$BOWLINE_SSH_PASSPHRASE"\n', 0o700);
  const asking = {
    SSH_ASKPASS: answer,
    SSH_ASKPASS_REQUIRE: "force",
    BOWLINE_SSH_PASSPHRASE: key.passphrase,
  };
  return { settings: [], variables: { ...variables, ...asking } };
}

function quotedForShell(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
