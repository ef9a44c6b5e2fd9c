import { writeFile } from "node:fs/promises";

import { createClient, type Client } from "@bowline/client";
import { BowlineError, LinkedAbortController, Shutdown } from "@bowline/core";

import { followDemo } from "../live/follow-demo.ts";
import { sitePlans } from "../site/site-plan.ts";
import { makeClusters, makeUser, screenUser, viewerUser } from "./demo-objects.ts";
import type { DemoServer } from "./demo-server.ts";
import { helloManifest } from "./hello-manifest.ts";
import { openStage, type StageOptions } from "./open-stage.ts";

export interface StartDemoOptions extends StageOptions {
  /** Ends the demo, also while it starts. */
  readonly signal: AbortSignal;
}

/** A demo whose clusters are connected. Disposing of it ends it. */
export interface RunningDemo extends AsyncDisposable {
  readonly server: Pick<DemoServer, "url" | "caPem" | "caFile" | "adminTokenFile">;
  /** With the token of somebody who may only look. */
  readonly viewerTokenFile: string;
  /** Something to apply. */
  readonly manifestFile: string;
  /** Settles when nothing is left of it; rejects when a part of it failed. */
  readonly ended: Promise<void>;
}

/** Starts the server and the clusters. Rejects with one sentence about what is in the way; then nothing is left. */
export async function startDemo(options: StartDemoOptions): Promise<RunningDemo> {
  const { clock, signal } = options;
  const shutdown = new Shutdown({ clock, stepLimitMs: 8000, totalLimitMs: 15_000 });
  try {
    signal.throwIfAborted();
    const demo = await open(options, shutdown);
    const stop = (): void => void shutdown.run("it was told to stop").catch(() => {});
    signal.addEventListener("abort", stop, { once: true });
    shutdown.add("the signal", () => signal.removeEventListener("abort", stop));
    if (signal.aborted) stop();
    return demo;
  } catch (error) {
    await shutdown.run("it could not start").catch(() => {});
    throw signal.aborted ? signal.reason : error;
  }
}

async function open(options: StartDemoOptions, shutdown: Shutdown): Promise<RunningDemo> {
  const { board, clock } = options;
  // Ends what is about to start; what has started is closed in its turn.
  using starting = new LinkedAbortController(options.signal);
  const { folder, server, sites } = await openStage(options, shutdown, starting.signal);
  const { url, caPem } = server;
  const clientWith = (token: string): Client => {
    const client = createClient({ server: url, token, caPem, clock });
    shutdown.add("a client", () => client.close());
    return client;
  };
  const token = await makeUser(clientWith(server.adminToken), screenUser, "admin");
  const client = clientWith(token);
  const following = followDemo({ client, token, caPem, board, clock });
  shutdown.add("the view", () => following.close());
  const viewerTokenFile = folder.file("viewer");
  await writeFile(viewerTokenFile, await makeUser(client, viewerUser, "viewer"), { mode: 0o600 });
  await makeClusters(client);
  await Promise.all(sites.map((site) => site.connect(client)));
  following.lookInto(sitePlans.map(({ name }) => name));
  const manifestFile = folder.file("hello.yaml");
  await writeFile(manifestFile, helloManifest);
  return {
    server,
    viewerTokenFile,
    manifestFile,
    ended: whenEnded(shutdown, [following.failed, server.ended]),
    [Symbol.asyncDispose]: () => shutdown.run("it was closed"),
  };
}

/** A part that fails takes the demo with it. */
function whenEnded(shutdown: Shutdown, parts: readonly Promise<void>[]): Promise<void> {
  let failure: BowlineError | undefined;
  for (const part of parts) {
    part.catch((error: unknown) => {
      failure ??= BowlineError.from(error);
      shutdown.run("a part of it failed").catch(() => {});
    });
  }
  const wait = async (): Promise<void> => {
    await shutdown.finished();
    if (failure !== undefined) throw failure;
  };
  const ended = wait();
  // Whoever started it may not have come to wait for it yet.
  ended.catch(() => {});
  return ended;
}
