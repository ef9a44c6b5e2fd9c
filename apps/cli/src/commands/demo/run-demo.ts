import { join, relative } from "node:path";

import type { CommandContext } from "../../command/command-context.ts";
import { addDemoContext } from "./demo-context.ts";
import type { DemoOptions } from "./demo-command.ts";
import { demoGuide, type DemoGuide, type GuideFacts } from "./demo-guide.ts";
import { writeDemoKubeconfig } from "./demo-kubeconfig.ts";
import { EndSignals } from "./end-signals.ts";
import { hasProgram, programName } from "../../kubeconfig/credential-program.ts";

const loadDemo = () => import("@bowline/demo");

type Demo = Awaited<ReturnType<typeof loadDemo>>;
type Board = InstanceType<Demo["Board"]>;

const noGuide: DemoGuide = { sections: [] };

/** Runs the demo until somebody ends it, in the folder of this process. */
export async function runDemo(context: CommandContext, { port }: DemoOptions): Promise<void> {
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
  "caFile" | "adminTokenFile" | "viewerTokenFile" | "kubeconfigFile" | "manifestFile"
>;

/** As seen from the folder in which the commands are tried. */
function shortPaths({ caFile, adminTokenFile, viewerTokenFile, kubeconfigFile, manifestFile }: Paths): Paths {
  const short = (path: string): string => relative(process.cwd(), path);
  return {
    caFile: short(caFile),
    adminTokenFile: short(adminTokenFile),
    viewerTokenFile: short(viewerTokenFile),
    kubeconfigFile: short(kubeconfigFile),
    manifestFile: short(manifestFile),
  };
}
