import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { BowlineError } from "@bowline/core";

/** Longer than whatever kubectl is told to wait for, so that what it says itself is in the error. */
const patienceMs = 160_000;

export interface KubectlOptions {
  /** Goes to kubectl's standard input, for `-f -`. */
  readonly input?: string;
}

/** Runs kubectl to its end; what it says on failure is in the error. */
export function runKubectl(
  binary: string,
  kubeconfigPath: string,
  args: readonly string[],
  { input = "" }: KubectlOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      binary,
      ["--kubeconfig", kubeconfigPath, ...args],
      // Its discovery cache lives under HOME and would outlive the cluster.
      { timeout: patienceMs, maxBuffer: 64 * 1024 * 1024, env: { HOME: dirname(kubeconfigPath) } },
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
