import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { reapOnExit } from "@bowline/test-services";
import { onTestFinished } from "vitest";

const program = fileURLToPath(new URL("../../../main.ts", import.meta.url));

export interface ServerProcess {
  /** What it has printed so far, for people. */
  readonly out: string;
  /** What it has logged so far. */
  readonly log: string;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it has logged this. */
  logged(text: string): Promise<void>;
  /** Exit code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
}

/** Runs a server as a process of its own until it listens; it is killed when the test ends. */
export async function startServerProcess(data: string, ...args: string[]): Promise<ServerProcess> {
  const flags = ["--data", data, "--listen", "127.0.0.1:0", "--log-format", "json", ...args];
  const child = spawn(process.execPath, [program, "server", ...flags], {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const forget = reapOnExit({ kind: "process-group", pid: child.pid ?? 0, signal: "SIGKILL" });
  const printed = { out: "", log: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (printed.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (printed.log += text));
  const exited = (async () => {
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    forget();
    return code ?? signal ?? 0;
  })();
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const printedText = async (stream: "out" | "log", text: string): Promise<void> => {
    const source = stream === "out" ? child.stdout : child.stderr;
    while (!printed[stream].includes(text)) {
      if (child.exitCode !== null) throw new Error(`It ended without "${text}":\n${printed.log}`);
      await Promise.race([once(source, "data"), exited]);
    }
  };
  await printedText("out", "listens on");
  return {
    get out() {
      return printed.out;
    },
    get log() {
      return printed.log;
    },
    kill: (signal) => void child.kill(signal),
    logged: (text) => printedText("log", text),
    exited,
  };
}
