import { join } from "node:path";
import { freePort, ManagedProcess } from "@bowline/test-services";

export interface Etcd extends AsyncDisposable {
  readonly url: string;
  readonly process: ManagedProcess;
}

/** An etcd of its own, on loopback, which gives up durability for speed. */
export async function startEtcd(binary: string, folder: string): Promise<Etcd> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const peerUrl = `http://127.0.0.1:${await freePort()}`;
  const process = await ManagedProcess.start({
    name: "etcd",
    command: binary,
    args: [
      ["--name", "test"],
      ["--data-dir", join(folder, "etcd")],
      ["--listen-client-urls", url],
      ["--advertise-client-urls", url],
      ["--listen-peer-urls", peerUrl],
      ["--initial-advertise-peer-urls", peerUrl],
      ["--initial-cluster", `test=${peerUrl}`],
      ["--unsafe-no-fsync"],
      // Alone in its cluster, it would wait a second to hear from others before it leads.
      ["--heartbeat-interval", "10"],
      ["--election-timeout", "100"],
    ].flat(),
    // etcd reads its flags from ETCD_* variables as well: it gets none.
    env: {},
    isReady: async (signal) => (await fetch(`${url}/health`, { signal })).ok,
    stopGraceMs: 1_000,
  });
  return { url, process, [Symbol.asyncDispose]: () => process.stop() };
}
