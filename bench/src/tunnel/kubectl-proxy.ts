import { findProgram, freePort, ManagedProcess } from "@bowline/test-services";
import { kubectlProgram } from "@bowline/test-services/programs";

export interface KubectlProxy extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
}

/** `kubectl proxy`, which speaks no TLS towards its clients; undefined where there is no kubectl. */
export async function startKubectlProxy(kubeconfigPath: string): Promise<KubectlProxy | undefined> {
  const command = await findProgram(kubectlProgram);
  if (command === undefined) return undefined;
  const port = await freePort();
  const proxy = await ManagedProcess.start({
    command,
    args: ["proxy", `--kubeconfig=${kubeconfigPath}`, `--port=${port}`],
    isReady: async (signal) => (await fetch(`http://127.0.0.1:${port}/version`, { signal })).ok,
  });
  return { pid: proxy.pid, port, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
}
