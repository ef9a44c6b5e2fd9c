import { execFile } from "node:child_process";

import { BowlineError, hasCode, type Environment } from "@bowline/core";

/** What programs of the machine are run with. */
export interface ProgramContext {
  /** Of the process, whole: programs get the part of it that they need. */
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** Half a minute where nothing is said: whoever asks for more may wait. */
  readonly timeLimitMs?: number;
}

export interface ProgramResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const usualLimitMs = 25_000;
const longestOutputBytes = 8 * 1024 * 1024;

/** The ways to engines and proxies. Whatever else is in the environment, as tokens are, is nobody's business. */
const passedOn = [
  "PATH",
  "HOME",
  "USER",
  "TMPDIR",
  "LANG",
  "DOCKER_HOST",
  "DOCKER_CONTEXT",
  "DOCKER_CONFIG",
  "DOCKER_CERT_PATH",
  "DOCKER_TLS_VERIFY",
  "DOCKER_API_VERSION",
  "CONTAINER_HOST",
  "CONTAINER_SSHKEY",
  "CONTAINERD_ADDRESS",
  "CONTAINERD_NAMESPACE",
  "NERDCTL_TOML",
  "SSH_AUTH_SOCK",
  "XDG_RUNTIME_DIR",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "DBUS_SESSION_BUS_ADDRESS",
  "KIND_EXPERIMENTAL_DOCKER_NETWORK",
  "KIND_EXPERIMENTAL_PODMAN_NETWORK",
  "KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER",
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]),
];

export function programEnvironment(
  environment: Environment,
  added: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const kept = passedOn.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), ...added };
}

/** Runs a program to its end, which comes within the limit or is made. It may fail: its exit code tells. */
export async function runProgram(
  { environment, signal, timeLimitMs = usualLimitMs }: ProgramContext,
  [program = "", ...args]: readonly string[],
  added: Readonly<Record<string, string>> = {},
): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const options = {
      env: programEnvironment(environment, added),
      signal,
      timeout: timeLimitMs,
      killSignal: "SIGKILL" as const,
      maxBuffer: longestOutputBytes,
    };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve({ code: 0, stdout, stderr });
      if (signal.aborted) return reject(error);
      if (typeof error.code === "number") return resolve({ code: error.code, stdout, stderr });
      return reject(runFailure([program, ...args], error, timeLimitMs));
    });
  });
}

function runFailure(
  [program = "", first = ""]: readonly string[],
  cause: Error & { killed?: boolean },
  timeLimitMs: number,
): BowlineError {
  const command = `${program} ${first}`.trim();
  if (hasCode(cause, "ENOENT") || hasCode(cause, "EACCES")) return missingProgram(program, cause);
  if (hasCode(cause, "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")) {
    return programFailed(`\`${command}\` printed more than ${longestOutputBytes >> 20} MiB.`, cause);
  }
  if (cause.killed === true) {
    return programFailed(
      `\`${command}\` did not end within ${timeLimitMs / 1000} s; the engine may hang: restart it.`,
      cause,
    );
  }
  return programFailed(`\`${command}\` could not be run: ${cause.message}`, cause);
}

export function missingProgram(program: string, cause?: unknown): BowlineError {
  return new BowlineError(
    "MissingProgram",
    `There is no ${program} in PATH that can be run. Install it on the machine that makes the cluster.`,
    { cause, details: { reason: program === "kind" ? "ProviderProgramMissing" : "EngineMissing" } },
  );
}

function programFailed(message: string, cause: unknown): BowlineError {
  return new BowlineError("ProcessFailed", message, {
    cause,
    details: { reason: "ProviderProgramFailed" },
    retryable: true,
  });
}
