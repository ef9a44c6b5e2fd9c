import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { createLogger, systemClock, type Clock } from "@bowline/core";
import type { Provider } from "@bowline/providers";
import { onTestFinished } from "vitest";

import { runBowline, type Ran } from "./run-bowline.ts";
import { tempFolder } from "./server-client.ts";

/** The server itself, in this process. */
export interface RealServer extends AsyncDisposable {
  readonly url: string;
  /** `127.0.0.1:41234` */
  readonly address: string;
  /** The flag that makes `login` trust it. */
  readonly caFlag: readonly string[];
  readonly adminTokenFile: string;
}

interface Surroundings {
  /** What makes clusters; missing for those that the settings name. */
  readonly providers?: ReadonlyMap<Provider["name"], Provider>;
  readonly clock?: Clock;
  /** Is given each line of its log, at every level; nobody reads it if missing. */
  readonly log?: (line: string) => void;
}

/** Starts the real server on a free port, or where it was before, with its data in a folder that outlives it. */
export async function startRealServer(
  dataFolder: string,
  more: Readonly<Record<string, string>> = {},
  { providers, clock = systemClock, log }: Surroundings = {},
): Promise<RealServer> {
  const { loadConfig, startServer } = await import("@bowline/server");
  const config = loadConfig({
    flags: { "--data": dataFolder, "--listen": "127.0.0.1:0", ...more },
    environment: {},
  });
  const level = log === undefined ? "error" : "trace";
  const logger = createLogger({ name: "test", level, destination: { write: (line) => log?.(line) } });
  const server = await startServer(config, {
    clock,
    random: Math.random,
    logger,
    version: "1.2.3",
    ...(providers === undefined ? {} : { providers }),
  });
  return {
    url: server.url,
    address: server.address,
    caFlag: server.caFingerprint === undefined ? [] : ["--ca-fingerprint", server.caFingerprint],
    adminTokenFile: server.adminTokenFile,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

interface AdminOfServer {
  readonly server: RealServer;
  /** The data folder of the server. */
  readonly data: string;
  readonly bowline: (...args: string[]) => Promise<Ran>;
}

/** Starts a server until the test is finished, and runs commands as its first admin. */
export async function startServerForAdmin(): Promise<AdminOfServer> {
  const data = await tempFolder();
  const server = await startRealServer(data);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const environment = {
    HOME: data,
    BOWLINE_SERVER: server.url,
    BOWLINE_TOKEN: (await readFile(server.adminTokenFile, "utf8")).trim(),
    BOWLINE_CA_FILE: join(data, "tls", "ca.crt"),
  };
  return { server, data, bowline: (...args) => runBowline(args, { environment }) };
}
