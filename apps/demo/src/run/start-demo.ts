import { writeFile } from "node:fs/promises";

import { createClient, type Client } from "@bowline/client";
import { BowlineError, LinkedAbortController, Shutdown, type Clock, type Random } from "@bowline/core";

import type { Board } from "../live/demo-state.ts";
import { followDemo } from "../live/follow-demo.ts";
import { whyNoOwnNetwork } from "../site/own-network.ts";
import { sitePlans } from "../site/site-plan.ts";
import { ConsoleLink } from "./console-link.ts";
import { DemoFolder } from "./demo-folder.ts";
import { editorUser, helloManifest, makeClusters, makeUser, screenUser, viewerUser } from "./demo-objects.ts";
import { openDemoServer, requireFreePort, type DemoServer } from "./demo-server.ts";
import { DemoSite } from "./demo-site.ts";
import { brokenWorkload, defineWorkloads, placeWorkloads } from "./demo-workloads.ts";

export interface StartDemoOptions extends PartsOptions {
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
  /** The manifests of the workload that is broken. */
  readonly brokenFile: string;
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
  const { folder, server, sites } = await openParts(options, shutdown, starting.signal);
  const { url, caPem } = server;
  const clientWith = (token: string): Client => {
    const client = createClient({ server: url, token, caPem, clock });
    shutdown.add("a client", () => client.close());
    return client;
  };
  const admin = clientWith(server.adminToken);
  // A browser gives up what it is loading when a network comes.
  await Promise.all(sites.map((site) => site.placed()));
  await openConsoleLink(admin, { server, board, shutdown });
  const token = await makeUser(admin, screenUser, "admin");
  const client = clientWith(token);
  const following = followDemo({ client, ownUser: screenUser, token, caPem, board, clock });
  shutdown.add("the view", () => following.close());
  await makeClusters(client);
  const define = async (): Promise<Client> => {
    const editor = clientWith(await makeUser(client, editorUser, "editor"));
    await defineWorkloads(editor);
    return editor;
  };
  const connecting = sites.map((site) => site.connect(client));
  const [files, editor] = await Promise.all([writeFiles(folder, client), define(), ...connecting]);
  following.lookInto(sitePlans.map(({ name }) => name));
  // The screen shows how they come; nobody has to wait for that.
  const placed = placeWorkloads(editor);
  return {
    server,
    ...files,
    ended: whenEnded(shutdown, [following.failed, server.ended, placed]),
    [Symbol.asyncDispose]: () => shutdown.run("it was closed"),
  };
}

/** As soon as the server answers: the clusters turn green while somebody looks. */
async function openConsoleLink(
  admin: Client,
  { server, board, shutdown }: { server: DemoServer; board: Board; shutdown: Shutdown },
): Promise<void> {
  const createCode = async (): Promise<string> => (await admin.createSignInCode()).code;
  const link = await ConsoleLink.open({ consoleUrl: server.consoleUrl, createCode });
  shutdown.add("the link to the console", () => link.close());
  board.update((state) => ({ ...state, consoleLink: link.url }));
}

type DemoFiles = Pick<RunningDemo, "viewerTokenFile" | "manifestFile" | "brokenFile">;

/** Writes the files that people need who try it. */
async function writeFiles(folder: DemoFolder, client: Client): Promise<DemoFiles> {
  const viewerTokenFile = folder.file("viewer");
  await writeFile(viewerTokenFile, await makeUser(client, viewerUser, "viewer"), { mode: 0o600 });
  const manifestFile = folder.file("hello.yaml");
  await writeFile(manifestFile, helloManifest);
  const brokenFile = folder.file(`${brokenWorkload.name}.yaml`);
  await writeFile(brokenFile, brokenWorkload.manifests);
  return { viewerTokenFile, manifestFile, brokenFile };
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
  // Its starter may not have come to wait for it yet.
  ended.catch(() => {});
  return ended;
}

interface PartsOptions {
  /** For everything that is written; what is in it from before is removed. */
  readonly folder: string;
  readonly port: number;
  /** How to get another port, for a sentence. */
  readonly portHint: string;
  readonly board: Board;
  /** Of the program. */
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** A server that answers, and clusters that are about to start and know nothing of it yet. */
interface DemoParts {
  readonly folder: DemoFolder;
  readonly server: DemoServer;
  readonly sites: readonly DemoSite[];
}

/** Opens the parts of the demo. The signal ends what is still starting. */
async function openParts(options: PartsOptions, shutdown: Shutdown, signal: AbortSignal): Promise<DemoParts> {
  const { board, port, portHint } = options;
  const folder = new DemoFolder(options.folder);
  shutdown.add("the folder", () => folder.remove());
  await requireFreePort(port, portHint);
  const why = await whyNoOwnNetwork();
  if (why !== undefined) tellWhy(board, why);
  const hasCable = why === undefined;
  const sites = sitePlans.map(({ name }, index) => {
    const isRemote = hasCable && index === 0;
    return new DemoSite({ ...options, name, isRemote, folder: folder.path, signal });
  });
  try {
    const server = await openDemoServer({ ...options, folder, hasCable, shutdown, signal });
    return { folder, server, sites };
  } finally {
    // After the server, so that agents leave before it does: it would wait for them. All at once, as somebody waits.
    shutdown.add("the clusters", async () => void (await Promise.all(sites.map((site) => site.close()))));
  }
}

function tellWhy(board: Board, why: string): void {
  const note = `The agent of edge would run in a network that nobody can call into, but ${why}.`;
  board.update((state) => ({ ...state, notes: [...state.notes, note] }));
}
