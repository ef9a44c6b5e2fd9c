import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { BowlineError } from "@bowline/core";

export interface KubectlOptions {
  /** Goes to kubectl's standard input, for `-f -`. */
  readonly input?: string;
  readonly timeoutMs?: number;
}

/** Runs kubectl to its end; what it says on failure is in the error. */
export function runKubectl(
  binary: string,
  kubeconfigPath: string,
  args: readonly string[],
  { input = "", timeoutMs = 60_000 }: KubectlOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      binary,
      ["--kubeconfig", kubeconfigPath, ...args],
      // Its discovery cache lives under HOME and would outlive the cluster.
      { timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024, env: { HOME: dirname(kubeconfigPath) } },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else
          reject(new BowlineError("ProcessFailed", `kubectl ${args.join(" ")}: ${stderr || error.message}`));
      },
    );
    // kubectl may end without reading it all; its exit code says what that means.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}
