import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { createTempFolder } from "./temp-folder.ts";
import { freePort } from "./free-port.ts";
import { ManagedProcess } from "./managed-process.ts";
import { requireProgram } from "./require-program.ts";
import { natsProgram } from "./test-programs.ts";

export interface NatsOptions {
  /** Streams and key-value stores, kept in a folder of this server. */
  readonly jetstream?: boolean;
}

export interface NatsServer extends AsyncDisposable {
  /** `nats://127.0.0.1:<port>`; there is no password. */
  readonly url: string;
  readonly port: number;
  /** The last lines the server printed. */
  logs(): string[];
  /** Idempotent: ends the process and removes its folder. */
  stop(): Promise<void>;
}

/** A nats-server of its own on a free port of loopback. */
export async function startNats({ jetstream = false }: NatsOptions = {}): Promise<NatsServer> {
  const binary = await requireProgram(natsProgram);
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("nats")).path;
  const port = await freePort();
  const server = starting.use(
    await ManagedProcess.start({
      name: "nats-server",
      command: binary,
      args: [
        "--addr=127.0.0.1",
        `--port=${port}`,
        ...(jetstream ? ["--jetstream", `--store_dir=${join(folder, "jetstream")}`] : []),
      ],
      isReady: (signal) => greets(port, signal),
    }),
  );
  const owned = starting.move();
  const stop = (): Promise<void> => owned.disposeAsync();
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    logs: () => server.lastLines(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The server speaks first: a line that begins with INFO. */
async function greets(port: number, signal: AbortSignal): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    const [greeting] = (await once(socket, "data", { signal })) as [Buffer];
    return greeting.toString("latin1").startsWith("INFO ");
  } finally {
    socket.destroy();
  }
}
