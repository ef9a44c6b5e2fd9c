import { mkdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { once } from "node:events";
import { userInfo } from "node:os";
import { join } from "node:path";

import { freePort } from "../free-port.ts";
import { ManagedProcess } from "../managed-process.ts";
import { requireProgram } from "../require-program.ts";
import { createTempFolder } from "../temp-folder.ts";
import { sshdProgram } from "../test-programs.ts";
import { makeSshKey } from "./signing-keys.ts";

export interface GitSshOptions {
  /** Public keys whose owners may fetch. */
  readonly authorizedKeys: readonly string[];
}

export interface GitSshServer extends AsyncDisposable {
  readonly port: number;
  /** What a client's known_hosts has to hold. */
  readonly knownHosts: string;
  /** `SHA256:…` of the key that the server shows. */
  readonly hostFingerprint: string;
  /** The address of a repository on disk. */
  url(folder: string): string;
  logs(): string[];
}

/** An `sshd` on a free port of loopback that lets its clients fetch, and do nothing else. */
export async function startGitSsh({ authorizedKeys }: GitSshOptions): Promise<GitSshServer> {
  const sshd = await requireProgram(sshdProgram);
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("sshd")).path;
  const hostKey = await makeSshKey(folder, "host_key");
  const port = await freePort();
  await writeFile(join(folder, "authorized_keys"), authorizedKeys.map(restricted).join(""), { mode: 0o600 });
  await writeFile(join(folder, "sshd_config"), configuration(folder, port));
  // The folder that root's sshd locks its children into; a package's init script would make it.
  if (process.getuid?.() === 0) await mkdir("/run/sshd", { recursive: true });
  const server = starting.use(
    await ManagedProcess.start({
      name: "sshd",
      command: sshd,
      args: ["-D", "-e", "-f", join(folder, "sshd_config")],
      isReady: (signal) => greets(port, signal),
    }),
  );
  const { username } = userInfo();
  const [type = "", key = ""] = (await readFile(`${hostKey.privateKeyFile}.pub`, "utf8")).split(" ");
  const owned = starting.move();
  return {
    port,
    knownHosts: `[127.0.0.1]:${port} ${type} ${key}\n`,
    hostFingerprint: hostKey.fingerprint,
    url: (repository) => `ssh://${username}@127.0.0.1:${port}${repository}`,
    logs: () => server.lastLines(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function restricted(publicKey: string): string {
  return `restrict,command="git-shell -c \\"$SSH_ORIGINAL_COMMAND\\"" ${publicKey}\n`;
}

function configuration(folder: string, port: number): string {
  return [
    "ListenAddress 127.0.0.1",
    `Port ${port}`,
    `HostKey ${join(folder, "host_key")}`,
    `AuthorizedKeysFile ${join(folder, "authorized_keys")}`,
    "PidFile none",
    "StrictModes no",
    "UsePAM no",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "PermitRootLogin prohibit-password",
    "AcceptEnv GIT_PROTOCOL",
    "PrintMotd no",
    "",
  ].join("\n");
}

async function greets(port: number, signal: AbortSignal): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    const [greeting] = (await once(socket, "data", { signal })) as [Buffer];
    return greeting.toString("latin1").startsWith("SSH-2.0");
  } finally {
    socket.destroy();
  }
}
