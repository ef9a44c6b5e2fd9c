import type { ClusterSocket } from "@bowline/client";
import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { CommandExit } from "../../command/failure.ts";
import { findPods, type WorkloadPod } from "../../workloads/find-pods.ts";
import { addClusterChoice, chooseClusters, type InstanceCluster } from "../../workloads/instance-clusters.ts";
import { instanceName, instanceUsage } from "../../workloads/instance-name.ts";
import { execProtocols, runSession } from "./exec-session.ts";

export function addExecCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("exec")
    .usage(`${instanceUsage} [FLAGS] -- COMMAND...`)
    .description(
      "Run a command in a container of a workload instance: in a pod that is ready, which is told, or in the one that --pod names. It goes through the server, with the rights that your grants give you in the cluster, and ends with the exit code of the command.",
    )
    .argument("<INSTANCE>", "The workload instance")
    .argument("<COMMAND...>", "The command; write -- before it, so that its flags are its own");
  addClusterChoice(command, { several: false })
    .option("--pod <NAME>", "In this pod")
    .option("-c, --container <NAME>", "In this container; the first of the pod, if left out")
    .option("-i, --stdin", "Pass standard input on to the command", false)
    .option("-t, --tty", "Give the command a terminal", false)
    .action((argument: string, line: string[], options: ExecOptions) =>
      runInContainer(context, instanceName(argument), { ...options, command: line }),
    );
  addExamples(command, [
    { does: "A shell", run: "bowline exec wi/web -it -- sh" },
    {
      does: "One command, in a cluster of several",
      run: "bowline exec wi/web --cluster prod-eu-1 -- cat /etc/hostname",
    },
    { does: "A file into a container", run: "bowline exec wi/web -i -- tee /tmp/in.txt < in.txt" },
  ]);
}

interface ExecOptions {
  readonly cluster?: string;
  readonly pod?: string;
  readonly container?: string;
  readonly stdin: boolean;
  readonly tty: boolean;
}

interface ExecRequest extends ExecOptions {
  readonly command: readonly string[];
}

export async function runInContainer(
  context: CommandContext,
  name: string,
  request: ExecRequest,
): Promise<void> {
  const { signal, terminal } = context;
  const client = await context.client();
  const [cluster] = await chooseClusters(client, name, { ...request, signal });
  if (cluster === undefined) return;
  const target = await chooseContainer(context, { name, cluster, request });
  terminal.error(`In ${cluster.name}/${target.pod}/${target.container}:\n`);
  const hasTty = request.tty && terminal.canAsk;
  if (request.tty && !hasTty) terminal.error("There is no terminal here to give to the command.\n");
  const socket = await client
    .inCluster(cluster.name)
    .connect(execPath(target, { ...request, tty: hasTty }), { protocols: execProtocols, signal })
    .catch((thrown: unknown) => {
      throw isExecMissing(thrown, target) ? noExec(thrown, cluster.name, target) : thrown;
    });
  try {
    requireEnd(socket, request, hasTty);
    using input = request.stdin ? terminal.openInput({ raw: hasTty }) : undefined;
    const code = await runSession({ socket, terminal, input, hasTty });
    if (code !== 0) throw new CommandExit(code);
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown;
  } finally {
    socket.close();
  }
}

/** The pod is there, as it was listed a moment ago; what is not found is the way into it. */
function isExecMissing(thrown: unknown, { pod }: Target): thrown is BowlineError {
  return thrown instanceof BowlineError && thrown.code === "NotFound" && !thrown.message.includes(`"${pod}"`);
}

function noExec(cause: BowlineError, cluster: string, { pod }: Target): BowlineError {
  return new BowlineError(
    "MethodNotSupported",
    `The API server of the cluster ${cluster} offers no exec for the pod ${pod}. Simulated clusters, such as those of the demo, have no containers that could run a command.`,
    { cause },
  );
}

/** A command that reads to the end of its input would wait for ever. */
function requireEnd({ protocol }: ClusterSocket, { stdin }: ExecRequest, hasTty: boolean): void {
  if (!stdin || hasTty || protocol === execProtocols[0]) return;
  throw new BowlineError(
    "MethodNotSupported",
    "This cluster is older than Kubernetes 1.30 and cannot be told where the input ends; use bowline kubectl CLUSTER -- exec -i instead.",
  );
}

interface Target {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

interface ChooseOptions {
  readonly name: string;
  readonly cluster: InstanceCluster;
  readonly request: ExecRequest;
}

async function chooseContainer(
  context: CommandContext,
  { name, cluster, request }: ChooseOptions,
): Promise<Target> {
  const client = await context.client();
  const pods = await findPods(client.inCluster(cluster.name), cluster.resources, context.signal);
  const pod = choosePod(pods, request.pod);
  if (pod === undefined) {
    const why =
      request.pod === undefined
        ? `${pods.length === 0 ? "has no pods" : "has no pod whose containers run"} in ${cluster.name}`
        : `has no pod ${request.pod} in ${cluster.name}`;
    throw new BowlineError(
      "NotFound",
      `workloadinstance/${name} ${why}; see more: bowline describe wi/${name}`,
    );
  }
  const running = pod.containers.filter(({ isRunning }) => isRunning);
  const container = running.find((each) =>
    request.container === undefined ? !each.isInit : each.name === request.container,
  );
  if (container === undefined) {
    const names = running.map((each) => each.name).join(", ");
    throw new BowlineError(
      "NotFound",
      `No container${request.container === undefined ? "" : ` ${request.container}`} runs in the pod ${pod.name}${names === "" ? "" : `; these do: ${names}`}.`,
    );
  }
  return { namespace: pod.namespace, pod: pod.name, container: container.name };
}

function choosePod(pods: readonly WorkloadPod[], wanted: string | undefined): WorkloadPod | undefined {
  if (wanted !== undefined) return pods.find(({ name }) => name === wanted);
  const running = pods.filter(({ containers }) => containers.some(({ isRunning }) => isRunning));
  return running.find(({ isReady }) => isReady) ?? running[0];
}

function execPath({ namespace, pod, container }: Target, { command, stdin, tty }: ExecRequest): string {
  const parameters = new URLSearchParams({ container, stdout: "true" });
  if (stdin) parameters.set("stdin", "true");
  // With a terminal both are one stream.
  parameters.set(tty ? "tty" : "stderr", "true");
  for (const word of command) parameters.append("command", word);
  return `/api/v1/namespaces/${namespace}/pods/${pod}/exec?${parameters.toString()}`;
}
