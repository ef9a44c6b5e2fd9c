import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { startKubesim } from "@bowline/kubesim";
import { createTempFolder, freePort, ManagedProcess } from "@bowline/test-services";

import { requirePage } from "./built-page.ts";

const program = fileURLToPath(new URL("../../../../apps/cli/src/main.ts", import.meta.url));
const readyLimitMs = 120_000;

/** `npm start` as somebody sees it who has never seen it before: a process, a folder of its own, and what it prints. */
export class Demo implements AsyncDisposable {
  /** The folder it was started in. */
  readonly folder: string;
  readonly #printed: () => string;
  readonly #owned: AsyncDisposableStack;

  /** Resolves when the link to the console is printed; the clusters are still on their way then. */
  static async start(): Promise<Demo> {
    await requirePage();
    await using starting = new AsyncDisposableStack();
    const { path: folder } = starting.use(await createTempFolder("console-demo"));
    let printed = "";
    starting.use(
      await ManagedProcess.start({
        name: "bowline demo",
        command: process.execPath,
        args: [program, "demo", "--port", String(await freePort())],
        cwd: folder,
        env: environment(folder),
        stopSignal: "SIGINT",
        stopGraceMs: 20_000,
        onOutput: (chunk) => void (printed += chunk.toString()),
        isReady: () => Promise.resolve(linkIn(printed) !== undefined),
        readyTimeoutMs: readyLimitMs,
      }),
    );
    return new Demo(folder, () => printed, starting.move());
  }

  private constructor(folder: string, printed: () => string, owned: AsyncDisposableStack) {
    this.folder = folder;
    this.#printed = printed;
    this.#owned = owned;
  }

  get printed(): string {
    return this.#printed();
  }

  /** The address that it printed: whoever opens it has signed in. */
  get link(): string {
    return linkIn(this.printed) ?? "";
  }

  /** Joins a cluster of somebody's own, by the command that the console shows for a terminal. */
  async joinOwn(name: string): Promise<AsyncDisposable> {
    await using starting = new AsyncDisposableStack();
    const sim = await startKubesim({ name, nodes: 1 });
    starting.defer(() => sim.stop());
    const kubeconfig = join(this.folder, `${name}.kubeconfig`);
    await writeFile(kubeconfig, sim.kubeconfig(), { mode: 0o600 });
    starting.use(
      await ManagedProcess.start({
        name: `bowline cluster add ${name}`,
        command: process.execPath,
        args: [program, "cluster", "add", name, "--run", "--kubeconfig", kubeconfig],
        cwd: this.folder,
        env: environment(this.folder),
        stopSignal: "SIGINT",
      }),
    );
    return starting.move();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}

/** The home of somebody who has nothing else of Bowline. */
function environment(folder: string): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: folder, BOWLINE_CONFIG: join(folder, "config.yaml") };
}

function linkIn(printed: string): string | undefined {
  return /Open the console, signed in: (http:\/\/\S+)/u.exec(printed)?.[1];
}
