import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

import type { Clock } from "@bowline/core";
import { InvalidArgumentError, type Command } from "commander";

import type { CommandContext, Environment } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import type { ContextEntry } from "../../connection/config-document.ts";
import {
  credentialProgram,
  hasProgram,
  installedProgram,
  programName,
} from "../../kubeconfig/credential-program.ts";
import { kubeconfigEntries } from "../../kubeconfig/kubeconfig-entries.ts";
import { toDocument } from "../../output/to-document.ts";
import { addDemoContext } from "./demo-context.ts";
import { demoGuide, type DemoGuide, type GuideFacts } from "./demo-guide.ts";

interface DemoOptions {
  readonly port: number;
}

export function addDemoCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("demo")
    .description(
      "Run a server with two simulated clusters on this machine, deploy workloads to them, one of which is broken, and watch it all. Ctrl-C ends it and removes everything it made.\n\nWhat it keeps while it runs is in .bowline/demo, and the context demo is for it. As root on Linux, the agent of one cluster runs in a network into which nobody can call.",
    )
    .option("--port <PORT>", "Where the server listens on 127.0.0.1", parsePort, 7443)
    .action((options: DemoOptions) => runDemo(context, options));
  addExamples(command, [
    { does: "Look around", run: "bowline demo" },
    { does: "Beside a server that runs already", run: "bowline demo --port 7444" },
  ]);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/u.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError("It must be a whole number from 1 to 65535.");
}

const loadDemo = () => import("@bowline/demo");

type Demo = Awaited<ReturnType<typeof loadDemo>>;
type Board = InstanceType<Demo["Board"]>;

const noGuide: DemoGuide = { sections: [] };

/** Runs the demo until somebody ends it, in the folder of this process. */
async function runDemo(context: CommandContext, { port }: DemoOptions): Promise<void> {
  const { terminal, clock, random, signal, version, environment } = context;
  const { Board, initialState, startDemo } = await loadDemo();
  const folder = join(process.cwd(), ".bowline", "demo");
  const board = new Board(initialState(`https://127.0.0.1:${port}`, clock.now()));
  const shown: { guide: DemoGuide } = { guide: noGuide };
  const program = await programName(environment, process.cwd());
  const again = environment["npm_lifecycle_event"] === "start" ? "npm start --" : `${program} demo`;
  const portHint = `stop it, or choose another one with \`${again} --port ${port + 1}\`.`;
  using _signals = new EndSignals(clock, environment);
  try {
    using view = await openView(context, board, () => shown.guide);
    signal.addEventListener("abort", () => view[Symbol.dispose](), { once: true });
    await using demo = await startDemo({ folder, port, portHint, board, version, clock, random, signal });
    const { url: server, caPem, adminTokenFile: tokenFile } = demo.server;
    await using own = await addDemoContext(environment, { server, caPem, tokenFile });
    const kubeconfigFile = join(folder, "kubeconfig");
    await writeDemoKubeconfig(context, kubeconfigFile, {
      entry: { name: own.name, server, caPem, tokenFile },
      clusters: board.state.clusters.map(({ name }) => name),
    });
    shown.guide = demoGuide({
      program,
      context: own.isCurrent ? undefined : own.name,
      hasKubectl: await hasProgram("kubectl", environment),
      url: server,
      ...shortPaths({ ...demo, ...demo.server, kubeconfigFile }),
    });
    board.update((state) => ({ ...state, isReady: true }));
    await demo.ended;
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
  terminal.out("The demo has ended; nothing of it is left.\n");
}

async function openView(
  { terminal, environment, paint, clock }: CommandContext,
  board: Board,
  guide: () => DemoGuide,
): Promise<Disposable> {
  const { PlainView, Screen } = await loadDemo();
  if (!terminal.isTty || environment["TERM"] === "dumb")
    return new PlainView({ board, guide, write: terminal.out });
  // The process decides what a second one means.
  const quit = (): void => void process.kill(process.pid, "SIGINT");
  return new Screen({ board, guide, output: process.stdout, input: process.stdin, paint, clock, quit });
}

type Paths = Pick<
  GuideFacts,
  "caFile" | "adminTokenFile" | "viewerTokenFile" | "kubeconfigFile" | "manifestFile" | "brokenFile"
>;

/** As seen from the folder in which the commands are tried. */
function shortPaths(paths: Paths): Paths {
  const short = (path: string): string => relative(process.cwd(), path);
  return {
    caFile: short(paths.caFile),
    adminTokenFile: short(paths.adminTokenFile),
    viewerTokenFile: short(paths.viewerTokenFile),
    kubeconfigFile: short(paths.kubeconfigFile),
    manifestFile: short(paths.manifestFile),
    brokenFile: short(paths.brokenFile),
  };
}

/** A kubeconfig for the clusters of the demo, as `bowline kubeconfig` would print it for the context. */
export async function writeDemoKubeconfig(
  { environment }: CommandContext,
  path: string,
  { entry, clusters }: { readonly entry: ContextEntry; readonly clusters: readonly string[] },
): Promise<void> {
  const { server, caPem, tokenFile } = entry;
  const token = tokenFile === undefined ? undefined : { file: tokenFile };
  const connection = { server, token, ca: undefined, context: entry };
  const program = await installedProgram(environment);
  const entries = kubeconfigEntries({
    connection,
    caPem,
    clusters,
    credential: credentialProgram(program, connection, environment),
  });
  // It belongs to the demo alone, so there is nobody whose current context it could change.
  const config = {
    apiVersion: "v1",
    kind: "Config",
    ...entries,
    "current-context": entries.contexts[0]?.name ?? "",
  };
  await writeFile(path, await toDocument(config, "yaml"), { mode: 0o600 });
}

const lookEveryMs = 500;

/**
 * Ends this process by SIGTERM where nobody else would: when its terminal is closed, and when it was started by npm and
 * npm was ended. The shell between the two does not pass signals on.
 */
export class EndSignals implements Disposable {
  readonly #clock: Clock;
  readonly #parent = process.ppid;
  readonly #end = (): void => void process.kill(process.pid, "SIGTERM");
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, environment: Environment) {
    this.#clock = clock;
    process.once("SIGHUP", this.#end);
    if (environment["npm_lifecycle_event"] !== undefined) this.#lookLater();
  }

  [Symbol.dispose](): void {
    process.off("SIGHUP", this.#end);
    this.#cancel?.();
  }

  #lookLater(): void {
    this.#cancel = this.#clock.after(lookEveryMs, () => {
      if (process.ppid === this.#parent) this.#lookLater();
      else this.#end();
    });
  }
}
