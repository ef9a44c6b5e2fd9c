import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { createServer } from "node:net";

import { BowlineError, createLogger, type Clock, type Random, type Shutdown } from "@bowline/core";

import { cableAddresses } from "../site/own-network.ts";
import type { DemoFolder } from "./demo-folder.ts";

interface DemoServerOptions {
  readonly folder: DemoFolder;
  readonly port: number;
  /** Whether an agent calls it from a network of its own. */
  readonly hasCable: boolean;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly shutdown: Shutdown;
  /** Ends the start. */
  readonly signal: AbortSignal;
}

export interface DemoServer {
  readonly url: string;
  /** The console, for browsers of this machine. */
  readonly consoleUrl: string;
  readonly caFile: string;
  readonly caPem: string;
  readonly adminToken: string;
  readonly adminTokenFile: string;
  /** Settles when it has stopped, for whatever reason. */
  readonly ended: Promise<void>;
}

/** A server with the embedded database, on loopback. What the environment says about servers is not meant for it. */
export async function openDemoServer(options: DemoServerOptions): Promise<DemoServer> {
  const { folder, port, hasCable, version, clock, random, shutdown, signal } = options;
  // Late, so that the clusters start while it is read.
  const { loadConfig, startServer } = await import("@bowline/server");
  const here = `127.0.0.1:${port}`;
  const { here: cable } = cableAddresses(port);
  const flags = {
    "--listen": here,
    // Without TLS, so that no browser has to be told to trust a certificate first.
    "--console-listen": "127.0.0.1:0",
    "--data": folder.file("server"),
    "--drain-time": "1s",
    ...(hasCable
      ? { "--gateway-urls": `https://${here},https://${cable}:${port}`, "--tls-names": cable }
      : {}),
  };
  const log = openSync(folder.file("server.log"), "a", 0o600);
  shutdown.add("the log", () => closeSync(log));
  const write = (line: string): void => void writeSync(log, line);
  const logger = createLogger({ name: "server", level: "info", destination: { write } });
  const server = await startServer(loadConfig({ flags, environment: {} }), {
    clock,
    random,
    logger,
    version,
    signal,
  });
  shutdown.add("the server", () => server.close());
  const { url, consoleUrl, caFile, adminToken, adminTokenFile, ended } = server;
  if (consoleUrl === undefined || caFile === undefined || adminToken === undefined) {
    throw new BowlineError("Internal", "A new server has no console, no CA or no admin.");
  }
  return { url, consoleUrl, caFile, caPem: readFileSync(caFile, "utf8"), adminToken, adminTokenFile, ended };
}

/** Before anything is started: what is in the way is said at once, and in the words of the demo. */
export async function requireFreePort(port: number, hint: string): Promise<void> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (cause) {
    throw new BowlineError("InvalidArgument", `Another program listens on port ${port}; ${hint}`, { cause });
  }
  server.close();
  await once(server, "close");
}
