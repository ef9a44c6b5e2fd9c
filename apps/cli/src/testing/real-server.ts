import { createLogger, systemClock } from "@bowline/core";

/** The server itself, in this process. */
export interface RealServer extends AsyncDisposable {
  readonly url: string;
  /** `127.0.0.1:41234` */
  readonly address: string;
  /** The flag that makes `login` trust it. */
  readonly caFlag: readonly string[];
  readonly adminTokenFile: string;
}

/** Starts the real server on a free port, or where it was before, with its data in a folder that outlives it. */
export async function startRealServer(
  dataFolder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<RealServer> {
  const { loadConfig, startServer } = await import("@bowline/server");
  const config = loadConfig({
    flags: { "--data": dataFolder, "--listen": "127.0.0.1:0", ...more },
    environment: {},
  });
  const logger = createLogger({ name: "test", level: "error", destination: { write: () => undefined } });
  const server = await startServer(config, {
    clock: systemClock,
    random: Math.random,
    logger,
    version: "1.2.3",
  });
  return {
    url: server.url,
    address: server.address,
    caFlag: server.caFingerprint === undefined ? [] : ["--ca-fingerprint", server.caFingerprint],
    adminTokenFile: server.adminTokenFile,
    [Symbol.asyncDispose]: () => server.close(),
  };
}
