import { HttpConnection } from "./http-connection.ts";
import type { LoadMeasurement } from "./measurement.ts";

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** The next request to send, or nothing when that was all. */
  readonly next: () => string | undefined;
  readonly expectedStatus: number;
  readonly staysAwake: boolean;
}

/** Keeps every connection busy, each with one request at a time, until there are no more. */
export async function applyLoad(load: Load): Promise<LoadMeasurement> {
  const { port, connections, next, expectedStatus } = load;
  using _awake = load.staysAwake ? stayAwake() : undefined;
  const opened = await Promise.all(Array.from({ length: connections }, () => HttpConnection.open(port)));
  let requests = 0;
  const startedAtMs = performance.now();
  try {
    await Promise.all(
      opened.map(async (connection) => {
        for (let request = next(); request !== undefined; request = next()) {
          const answer = await connection.send(request);
          if (answer.status !== expectedStatus) throw new Error(`${answer.status}: ${answer.text()}`);
          requests += 1;
        }
      }),
    );
  } finally {
    for (const connection of opened) connection.close();
  }
  return { requests, elapsedMs: performance.now() - startedAtMs };
}

/**
 * Keeps this process from sleeping while it waits. A server has to wake a client that sleeps, which takes about as long
 * as to send the answer; only the slower of two servers has clients that find time to sleep.
 */
function stayAwake(): Disposable {
  let isOver = false;
  const turn = (): void => {
    if (!isOver) setImmediate(turn);
  };
  turn();
  return {
    [Symbol.dispose]() {
      isOver = true;
    },
  };
}
