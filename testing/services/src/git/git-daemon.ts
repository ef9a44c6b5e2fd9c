import { once } from "node:events";
import { connect } from "node:net";

import { freePort } from "../free-port.ts";
import { ManagedProcess } from "../managed-process.ts";
import { requireProgram } from "../require-program.ts";
import { gitProgram } from "../test-programs.ts";
import { plainGitEnvironment } from "./run-git.ts";

interface GitDaemon extends AsyncDisposable {
  readonly port: number;
  /** The address of a repository in the folder, which begins with `git://`. */
  url(repository?: string): string;
  /** How often somebody has asked for a repository. */
  requests(): number;
}

/** `git daemon` on a free port of loopback: everybody may read all repositories of the folder, unasked who they are. */
export async function startGitDaemon(folder: string): Promise<GitDaemon> {
  const git = await requireProgram(gitProgram);
  const port = await freePort();
  let output = "";
  const daemon = await ManagedProcess.start({
    name: "git daemon",
    command: git,
    args: [
      "daemon",
      "--verbose",
      "--reuseaddr",
      "--export-all",
      "--listen=127.0.0.1",
      `--port=${port}`,
      `--base-path=${folder}`,
      folder,
    ],
    env: { ...plainGitEnvironment },
    onOutput: (chunk) => {
      output += chunk.toString("utf8");
    },
    isReady: (signal) => answers(port, signal),
  });
  return {
    port,
    url: (repository = "repository.git") => `git://127.0.0.1:${port}/${repository}`,
    requests: () => output.match(/Request upload-pack/gu)?.length ?? 0,
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

async function answers(port: number, signal: AbortSignal): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect", { signal });
    return true;
  } finally {
    socket.destroy();
  }
}
