import { systemClock } from "@bowline/core";
import { socketAccess, type ClusterConnection } from "@bowline/kube";
import { onTestFinished } from "vitest";

import { Upstream, type UpstreamOptions } from "../upstream/upstream.ts";
import { tunnelTo, type TunnelClient } from "./tunnel-client.ts";

export interface UpstreamFixture {
  readonly upstream: Upstream;
  readonly client: TunnelClient;
}

export function connectionTo(server: string, more: Partial<ClusterConnection> = {}): ClusterConnection {
  return {
    name: "test",
    server,
    namespace: "default",
    insecureSkipVerify: false,
    auth: { type: "token", token: "agent-token" },
    ...more,
  };
}

/** The agent's upstream to an API server, and the server's end of a tunnel that leads into it. */
export function upstreamTo(
  connection: ClusterConnection,
  options: Partial<UpstreamOptions> = {},
): UpstreamFixture {
  const access = options.access ?? socketAccess(connection);
  const upstream = new Upstream({ connection, access, clock: systemClock, maxStreams: 100, ...options });
  onTestFinished(() => {
    upstream.close();
    access.credentials.close();
  });
  return { upstream, client: tunnelTo(upstream.accept) };
}
