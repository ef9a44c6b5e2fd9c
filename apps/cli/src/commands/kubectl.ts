import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { isatty } from "node:tty";

import { Cluster } from "@bowline/api";
import { BowlineError, hasCode } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext, Environment } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { CommandExit } from "../command/failure.ts";
import { caOf, connectionOf } from "../connection/connect-to-server.ts";
import { credentialProgram, thisProgram } from "../kubeconfig/credential-program.ts";
import { kubeconfigEntries, kubeContextName } from "../kubeconfig/kubeconfig-entries.ts";
import { isNotFound } from "../resources/find-objects.ts";
import { requireObjectName } from "../resources/resource.ts";

export function addKubectlCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("kubectl")
    .usage("NAME -- ARGUMENTS...")
    .description(
      "Run kubectl against a cluster, through the server, without changing any kubeconfig. It ends with the exit code of kubectl.",
    )
    .argument("<NAME>", "The cluster")
    .argument(
      "[ARGUMENTS...]",
      "What kubectl is to do; write -- before them, so that their flags are kubectl's",
    )
    .action((name: string, args: string[]) => runKubectl(context, name, args));
  addExamples(command, [
    { does: "List the pods of a cluster", run: "bowline kubectl prod-eu-1 -- get pods -A" },
    {
      does: "Apply what another program prints",
      run: "helm template web | bowline kubectl prod-eu-1 -- apply -f -",
    },
  ]);
}

/** Runs the kubectl of this machine with a kubeconfig that knows one cluster, and holds no token. */
export async function runKubectl(
  context: CommandContext,
  name: string,
  args: readonly string[],
): Promise<void> {
  const { environment } = context;
  const cluster = requireObjectName(name);
  const connection = await connectionOf(context);
  const entries = kubeconfigEntries({
    connection,
    caPem: await caOf(connection),
    clusters: [cluster],
    credential: credentialProgram(thisProgram, connection, environment),
  });
  const config = {
    apiVersion: "v1",
    kind: "Config",
    ...entries,
    "current-context": kubeContextName(cluster),
  };
  await using file = await TemporaryKubeconfig.create(JSON.stringify(config));
  const exitCode = await kubectlProcess(args, { ...environment, KUBECONFIG: file.path });
  if (exitCode === 0) return;
  await sayWhetherMissing(context, cluster);
  throw new CommandExit(exitCode);
}

/** Of a cluster that is not there, kubectl says only that the server does not have what was asked for. */
async function sayWhetherMissing(context: CommandContext, name: string): Promise<void> {
  try {
    const client = await context.client();
    await client.get(Cluster, name, { signal: context.signal });
  } catch (thrown) {
    // Any other problem kubectl has met too, and said.
    if (isNotFound(thrown)) context.terminal.error(`error: ${thrown.message}\n`);
  }
}

const passedOn = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs kubectl on the streams of this process; returns its exit code, or that of the signal that ended it. */
async function kubectlProcess(args: readonly string[], env: Environment): Promise<number> {
  // Before kubectl starts: a signal in between would end this process alone, and leave kubectl to nobody.
  using signals = new PassedSignals();
  const child = spawn("kubectl", args, { stdio: "inherit", env });
  signals.passTo(child);
  try {
    const [code, signal]: unknown[] = await once(child, "exit");
    return typeof code === "number" ? code : 128 + signalNumber(signal);
  } catch (cause) {
    throw new BowlineError("MissingProgram", missing(cause), { cause });
  }
}

/** Catches signals from the beginning to the end; they arrive between two turns, when there is somebody to pass them to. */
class PassedSignals implements Disposable {
  #child: ChildProcess | undefined;
  readonly #pass = (signal: NodeJS.Signals): void => {
    // A terminal sends Ctrl-C to kubectl as well; twice would mean that nobody wants to wait for an orderly end.
    if (signal !== "SIGINT" || !isatty(0)) this.#child?.kill(signal);
  };

  constructor() {
    for (const signal of passedOn) process.on(signal, this.#pass);
  }

  passTo(child: ChildProcess): void {
    this.#child = child;
  }

  [Symbol.dispose](): void {
    for (const signal of passedOn) process.off(signal, this.#pass);
  }
}

function signalNumber(signal: unknown): number {
  const numbers: Readonly<Record<string, number>> = constants.signals;
  return numbers[String(signal)] ?? 0;
}

function missing(cause: unknown): string {
  const isThere = !hasCode(cause, "ENOENT");
  return isThere
    ? "kubectl cannot be started; check its permissions."
    : "kubectl is not installed, or not on the PATH; https://kubernetes.io/docs/tasks/tools/ says how to install it.";
}

/** A kubeconfig in a folder that nobody else can read. Gone when it is disposed of, or when the process ends before. */
class TemporaryKubeconfig implements AsyncDisposable {
  readonly path: string;
  readonly #folder: string;
  /** Two times Ctrl-C ends the process wherever it is. */
  readonly #onExit = (): void => rmSync(this.#folder, { recursive: true, force: true });

  private constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, "config");
    process.once("exit", this.#onExit);
  }

  static async create(content: string): Promise<TemporaryKubeconfig> {
    const kubeconfig = new TemporaryKubeconfig(await mkdtemp(join(tmpdir(), "bowline-kubectl-")));
    try {
      await writeFile(kubeconfig.path, content, { mode: 0o600 });
    } catch (thrown) {
      await kubeconfig[Symbol.asyncDispose]();
      throw thrown;
    }
    return kubeconfig;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    process.off("exit", this.#onExit);
  }
}
