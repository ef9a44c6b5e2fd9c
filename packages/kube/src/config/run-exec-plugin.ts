import { spawn, type ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { BowlineError, codeOf } from "@bowline/core";
import type { ExecPlugin } from "./cluster-connection.ts";

interface ExecRun {
  /** The owner of the credentials, for messages. */
  readonly user: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly interactive: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const maxOutputBytes = 1024 * 1024;
/** The end of what a plugin complains about is what helps. */
const maxComplaintLength = 500;

/** Runs a plugin and returns what it printed. Never through a shell; it is killed when it takes or prints too much. */
export async function runExecPlugin(plugin: ExecPlugin, run: ExecRun): Promise<string> {
  const child = spawn(plugin.command, plugin.args, {
    env: { ...run.env },
    // A plugin that may ask questions asks them on stderr: its stdout is for the answer.
    stdio: run.interactive ? ["inherit", "pipe", "inherit"] : ["ignore", "pipe", "pipe"],
    signal: AbortSignal.any([run.signal, AbortSignal.timeout(run.timeoutMs)]),
    killSignal: "SIGKILL",
    windowsHide: true,
  });
  const output = new BoundedText(child.stdout, maxOutputBytes, () => child.kill("SIGKILL"));
  const complaint = new TailText(child.stderr, maxComplaintLength);
  const ended = await endOf(child);
  if (ended.error !== undefined) throw startError(ended.error, plugin, run);
  if (output.overflowed) {
    throw failed(plugin, run, `printed more than ${maxOutputBytes} bytes`);
  }
  if (ended.exitCode !== 0) {
    const said = complaint.text();
    throw failed(
      plugin,
      run,
      `ended with ${ended.exitCode ?? "a signal"}${said === "" ? "" : ` and said: ${said}`}`,
    );
  }
  return output.text();
}

interface Ended {
  readonly exitCode?: number | null;
  readonly error?: Error;
}

/** A grandchild may keep the pipes open long after the plugin was killed: then nobody waits for them. */
function endOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve) => {
    child.once("error", (error) => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ error });
    });
    child.once("close", (exitCode) => resolve({ exitCode }));
  });
}

function startError(error: Error, plugin: ExecPlugin, run: ExecRun): BowlineError {
  const code = codeOf(error);
  if (code === "ENOENT") {
    const hint = plugin.installHint?.trim() ?? "install it, or put it on the PATH";
    return new BowlineError(
      "ExecPluginMissing",
      `The user "${run.user}" needs the program "${plugin.command}" for its credentials, and it is not installed: ${hint}`,
      { cause: error, details: { command: plugin.command, user: run.user } },
    );
  }
  if (code === "ABORT_ERR") {
    return failed(plugin, run, run.signal.aborted ? "was stopped" : `did not end within ${run.timeoutMs} ms`);
  }
  return failed(plugin, run, `cannot be started (${String(code)})`);
}

function failed(plugin: ExecPlugin, run: ExecRun, what: string): BowlineError {
  return new BowlineError(
    "ExecPluginFailed",
    `The exec plugin "${plugin.command}", which gives the user "${run.user}" its credentials, ${what}.`,
    { details: { command: plugin.command, user: run.user } },
  );
}

class BoundedText {
  readonly #chunks: Buffer[] = [];
  #size = 0;
  readonly #maxBytes: number;

  constructor(stream: Readable | null, maxBytes: number, onOverflow: () => void) {
    this.#maxBytes = maxBytes;
    stream?.on("data", (chunk: Buffer) => {
      this.#size += chunk.length;
      if (this.overflowed) onOverflow();
      else this.#chunks.push(chunk);
    });
  }

  get overflowed(): boolean {
    return this.#size > this.#maxBytes;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}

class TailText {
  #text = "";

  constructor(stream: Readable | null, maxLength: number) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      this.#text = (this.#text + chunk).slice(-maxLength);
    });
  }

  text(): string {
    return this.#text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
  }
}
