import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { send, type Answer } from "./https-request.ts";
import { startTestServer, tempFolder, type TestServer } from "./start-test-server.ts";

export interface Replica extends TestServer {
  readonly folder: string;
  readonly ca: string;
  ask(token: string | undefined, path: string, body?: unknown): Promise<Answer>;
}

/** A server with a folder of its own, and the keys of another. `givenCa` has signed a certificate that it was given. */
export async function startReplica(
  flags: Readonly<Record<string, string>>,
  keysOf?: Replica,
  givenCa?: string,
): Promise<Replica> {
  const folder = await tempFolder();
  if (keysOf !== undefined) copyFileSync(keysFile(keysOf.folder), keysFile(folder));
  const server = await startTestServer({ "--data": folder, ...flags });
  const ca = givenCa ?? readFileSync(server.caFile ?? "", "utf8");
  return {
    ...server,
    folder,
    ca,
    ask: (token, path, body) =>
      send(server.url + path, {
        ca,
        ...(token === undefined ? {} : { token }),
        ...(body === undefined ? {} : { method: "POST", body }),
      }),
  };
}

export function keysFile(folder: string): string {
  return join(folder, "encryption.keys");
}
