import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createTempFolder } from "../temp-folder.ts";
import { freePort } from "../free-port.ts";
import { ManagedProcess } from "../managed-process.ts";
import { requireProgram } from "../require-program.ts";
import { javaProgram, neo4jJars, whyNoNeo4j, type Neo4jJarsOptions } from "./neo4j-jars.ts";

export interface Neo4jServer extends AsyncDisposable {
  /** `bolt://127.0.0.1:<port>`, without TLS. */
  readonly url: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** The one database of the community edition. */
  readonly database: string;
  /** The last lines the server printed. */
  logs(): string[];
  /** Idempotent: ends the process and removes its folder. */
  stop(): Promise<void>;
}

export interface Neo4jTest {
  readonly skip: boolean;
  /** The first test on a machine downloads Neo4j. */
  readonly timeoutMs: number;
}

/** Whether tests can have a Neo4j here. Where they cannot, it is told why: tests that are skipped say nothing. */
export async function neo4jTest(): Promise<Neo4jTest> {
  const obstacle = await whyNoNeo4j(process.env);
  if (obstacle !== undefined) process.stderr.write(`Tests with Neo4j did not run: ${obstacle}.\n`);
  return { skip: obstacle !== undefined, timeoutMs: 600_000 };
}

/** It starts within some 10 seconds; the compiler of its launcher, and neighbours, may need as long again. */
const readyTimeoutMs = 120_000;

/**
 * A Neo4j of its own on a free port of loopback, some 500 MB large. The first on a machine downloads it, which takes a
 * minute or two; `whyNoNeo4j` tells where that cannot be.
 */
export async function startNeo4j({
  env = process.env,
  output = process.stderr,
  signal = new AbortController().signal,
}: Partial<Neo4jJarsOptions> = {}): Promise<Neo4jServer> {
  const java = await requireProgram(javaProgram);
  const jars = await neo4jJars({ env, output, signal });
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("neo4j")).path;
  const port = await freePort();
  const password = randomBytes(16).toString("hex");
  const launcher = join(import.meta.dirname, "TestNeo4j.java");
  let ready = false;
  const server = starting.use(
    await ManagedProcess.start({
      name: "neo4j",
      command: java,
      args: [
        "-Xmx512m",
        "-XX:+UseSerialGC",
        // Half of the start is spent in the better of two compilers otherwise.
        "-XX:TieredStopAtLevel=1",
        "-cp",
        join(jars, "*"),
        launcher,
        folder,
        String(port),
        password,
      ],
      cwd: folder,
      onOutput: (chunk) => (ready ||= chunk.toString("utf8").includes("Ready")),
      isReady: () => Promise.resolve(ready),
      readyTimeoutMs,
    }),
  );
  const owned = starting.move();
  const stop = (): Promise<void> => owned.disposeAsync();
  return {
    url: `bolt://127.0.0.1:${port}`,
    port,
    user: "neo4j",
    password,
    database: "neo4j",
    logs: () => server.lastLines(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
