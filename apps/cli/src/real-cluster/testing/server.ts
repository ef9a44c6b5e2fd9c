import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { freePort, ManagedProcess } from "@bowline/test-services";

const program = fileURLToPath(new URL("../../main.ts", import.meta.url));

export interface ServerProcess {
  readonly url: string;
  readonly adminTokenFile: string;
  readonly caFile: string;
  /** Everything it has printed. */
  readonly printed: () => string;
  readonly process: ManagedProcess;
}

/** It says all it can say: what it must not say is looked for. */
const loggingFlags = ["--log-level", "debug", "--log-format", "json"];

interface ServerOptions {
  /** Of a server that comes after another one. */
  readonly port?: number;
  readonly flags?: readonly string[];
}

/** `bowline server` as a process of its own, at an address that pods can reach. */
export async function startServer(
  data: string,
  host: string,
  { port: wanted, flags = [] }: ServerOptions = {},
): Promise<ServerProcess> {
  const port = wanted ?? (await freePort(host));
  let printed = "";
  const server = await ManagedProcess.start({
    name: "bowline server",
    command: process.execPath,
    args: [program, "server", "--data", data, "--listen", `${host}:${port}`, ...loggingFlags, ...flags],
    env: { PATH: process.env["PATH"], HOME: data },
    onOutput: (chunk) => void (printed += chunk.toString()),
    isReady: async () => printed.includes("listens on"),
  });
  return {
    url: `https://${host}:${port}`,
    adminTokenFile: join(data, "admin.token"),
    caFile: join(data, "tls", "ca.crt"),
    printed: () => printed,
    process: server,
  };
}
