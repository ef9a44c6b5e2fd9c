import { fileURLToPath } from "node:url";

import { freePort, ManagedProcess } from "@bowline/test-services";

const program = fileURLToPath(new URL("../../../cli/src/main.ts", import.meta.url));

/** `bowline operator` as people start it. Resolves when it is ready. */
export async function startOperatorProcess(kubeconfig: string): Promise<ManagedProcess> {
  const health = `127.0.0.1:${await freePort()}`;
  return ManagedProcess.start({
    name: "bowline operator",
    command: process.execPath,
    args: [program, "operator", "--kubeconfig", kubeconfig, "--health-listen", health],
    isReady: async (signal) => (await fetch(`http://${health}/readyz`, { signal })).ok,
  });
}
