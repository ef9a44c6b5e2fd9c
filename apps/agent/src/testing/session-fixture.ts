import { createLogger, systemClock, type Clock, type Logger } from "@bowline/core";
import type { AcceptStream } from "@bowline/protocol";
import { onTestFinished } from "vitest";

import { ServerSession, type ServerSessionOptions } from "../session/server-session.ts";
import { dialPlainly } from "./scripted-server.ts";

export const silentLogger: Logger = createLogger({ name: "test", level: "silent" });

/** Answers every request with the path it was for. */
const echoPath: AcceptStream = (stream, { path }) => {
  stream.sendHeaders({ status: 200, headers: [] });
  return {
    data: () => true,
    end: () => {
      stream.write(Buffer.from(path));
      stream.end();
    },
    error: () => {},
  };
};

export interface SessionFixtureOptions extends Partial<ServerSessionOptions> {
  readonly clock?: Clock;
  /** Said in the hello. */
  readonly otherReplica?: string | undefined;
}

/** Opens a session with a scripted server, as `open` of a link does. */
export async function openTestSession(
  server: string,
  signal: AbortSignal = new AbortController().signal,
  { otherReplica = "", ...more }: SessionFixtureOptions = {},
): Promise<ServerSession> {
  const session = await ServerSession.open(
    {
      http2: await dialPlainly(server, signal),
      dialTunnel: async () => undefined,
      hello: {
        agentVersion: "1.2.3",
        kubernetesVersion: "v1.36.0",
        clusterUid: "u1",
        instance: "pod-1",
        configVersion: "",
        otherReplica,
      },
      authorization: () => "Bearer signed",
      accept: echoPath,
      configure: () => "",
      clock: systemClock,
      random: () => 0.999,
      logger: silentLogger,
      ...more,
    },
    signal,
  );
  onTestFinished(() => session.destroy());
  return session;
}
