import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

import { expect } from "vitest";

import { answerTo, responseTo, type AgentBench } from "./agent-bench.ts";
import type { FakeApiServer } from "./fake-api-server.ts";

/** How clients saw their requests end. */
interface SeenEnds {
  readonly watch: unknown;
  readonly upload: unknown;
  readonly exec: unknown;
}

/** The ends that clients have to see when the agent is lost: an error, and nothing that looks like an answer. */
export const cleanErrors: SeenEnds = { watch: "aborted", upload: [502, "TunnelLost"], exec: "closed" };

/** Begins a watch, an upload and an upgraded connection; resolves when all are in the middle of what they do. */
export async function beginWork(
  bench: AgentBench,
  cluster: FakeApiServer,
): Promise<{ readonly ends: Promise<SeenEnds> }> {
  const watching = await responseTo(bench.request("/clusters/edge/api/v1/pods?watch=1").end());
  await once(watching, "data");
  const uploading = bench.request("/clusters/edge/api/v1/namespaces/a/pods/b/proxy/c", { method: "POST" });
  uploading.write("x".repeat(100_000));
  const answered = answerTo(uploading);
  const socket = await openEcho(bench);
  await expect.poll(() => cluster.requests.size).toBe(2);
  const watch = once(watching, "error").then(([error]: Error[]) => error?.message);
  const upload = answered.then(({ status, body }) => [status, body["reason"]]);
  const exec = once(socket, "close").then(() => "closed");
  const all = async (): Promise<SeenEnds> => ({ watch: await watch, upload: await upload, exec: await exec });
  return { ends: all() };
}

/** A connection as `kubectl exec` makes it, which says back what it is told. */
export async function openEcho(bench: AgentBench): Promise<Socket> {
  const exec = bench.request("/clusters/edge/api/v1/namespaces/a/pods/b/exec", {
    method: "POST",
    headers: { connection: "Upgrade", upgrade: "echo" },
  });
  const [, socket] = (await once(exec.end(), "upgrade")) as [IncomingMessage, Socket];
  socket.write("hello");
  expect(String(await once(socket, "data"))).toBe("hello");
  return socket;
}
