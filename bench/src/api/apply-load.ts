import { HttpConnection } from "./http-connection.ts";
import type { LoadMeasurement } from "./measurement.ts";

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** The next request to send, or nothing when that was all. */
  readonly next: () => string | undefined;
  readonly expectedStatus: number;
}

/** Keeps every connection busy, each with one request at a time, until there are no more. */
export async function applyLoad({ port, connections, next, expectedStatus }: Load): Promise<LoadMeasurement> {
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
