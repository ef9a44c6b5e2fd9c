import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { bundleProgram, type Program } from "@bowline/packaging";
import { startApiServer, startCluster, type ApiServer, type Cluster } from "@bowline/test-cluster";
import { createTempFolder, freePort, ManagedProcess } from "@bowline/test-services";

import { readConfig } from "../../../connection/config-file.ts";
import { TestHome } from "../../../testing/test-home.ts";
import { makeBinFolder } from "../bin-folder.ts";
import type { Kubectl } from "../kubectl.ts";
import { signIn, succeed, type Bowline } from "../people.ts";
import { ControlPlane, namespace } from "./control-plane.ts";
import { startEndpointBalancer, type EndpointBalancer } from "./endpoint-balancer.ts";

/** A control plane as pods of one cluster, and the agent of another cluster, which is reached through it. */
export interface InstalledStage extends AsyncDisposable {
  /** Where the control plane runs; it is called `home` in Bowline. */
  readonly cluster: Cluster;
  readonly controlPlane: ControlPlane;
  readonly balancer: EndpointBalancer;
  /** Where the agent is; it is called `other` in Bowline. */
  readonly other: ApiServer;
  /** Of the other cluster, through the control plane. */
  readonly kubectl: Kubectl;
  /** As the admin. */
  readonly bowline: Bowline;
  readonly url: string;
  readonly caPem: string;
  readonly adminToken: string;
  /** The command as it is shipped, running for as long as the stage is open. */
  readonly start: (options: StartedCommand) => Promise<ManagedProcess>;
}

interface StartedCommand {
  readonly args: readonly string[];
  /** Printed once it is at work. */
  readonly says: string;
  readonly onOutput?: (text: string) => void;
}

const clusterName = "other";
/** Lets the admin of Bowline do everything in that cluster. */
const everything = {
  kind: "AccessGrant",
  metadata: { name: "admin" },
  spec: {
    subjects: [{ user: "admin" }],
    clusters: { names: [clusterName] },
    kubernetes: { groups: ["system:masters"] },
  },
};

export async function openInstalledStage(): Promise<InstalledStage> {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("installed")).path;
  const home = starting.use(await TestHome.create());
  const bowline: Bowline = (args, stdin) => succeed(home, args, { stdin: stdin ?? "" });
  const program = await bundleProgram(join(folder, "program"));
  const cluster = starting.use(await startCluster());
  const port = await freePort(cluster.hostAddress);
  const url = `https://${cluster.hostAddress}:${port}`;
  const run = (...args: string[]): Promise<string> => runCommand(program, home, args);
  const controlPlane = new ControlPlane({ cluster, run, folder, url });
  await controlPlane.prepare(program);
  const balancer = starting.use(
    await startEndpointBalancer(cluster, { port, namespace, service: "bowline", targetPort: 7443 }),
  );
  await controlPlane.up();

  const [entry] = (await readConfig({ BOWLINE_CONFIG: home.configFile })).contexts();
  const { token: adminToken = "", caPem = "" } = entry ?? {};
  const caFile = join(folder, "ca.crt");
  await writeFile(caFile, caPem);
  const other = starting.use(await startApiServer());
  const started = starting.use(new AsyncDisposableStack());
  const start = async (command: StartedCommand): Promise<ManagedProcess> =>
    started.use(await startCommand(program, home, command));
  const add = ["cluster", "add", clusterName, "--run", "--kubeconfig", other.kubeconfigPath];
  await start({ args: add, says: "Connected" });
  await bowline(["apply", "-f", "-"], JSON.stringify(everything));
  const kubectl = await signIn(starting.use(await TestHome.create()), {
    binFolder: await makeBinFolder(folder),
    kubectlPath: other.kubectlPath,
    token: adminToken,
    server: { url, caFile },
    cluster: clusterName,
  });
  const owned = starting.move();
  return {
    cluster,
    controlPlane,
    balancer,
    other,
    kubectl,
    bowline,
    url,
    caPem,
    adminToken,
    start,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The command as it is shipped, and its environment. */
function commandOf(program: Program, home: TestHome, args: readonly string[]) {
  return {
    command: process.execPath,
    args: [join(program.folder, "dist/bowline.mjs"), ...args],
    env: { PATH: process.env["PATH"], HOME: home.folder, BOWLINE_CONFIG: home.configFile },
  };
}

/** Resolves to everything it printed. */
async function runCommand(program: Program, home: TestHome, args: readonly string[]): Promise<string> {
  const { command, args: all, env } = commandOf(program, home, args);
  const child = spawn(command, all, { env, stdio: ["ignore", "pipe", "pipe"] });
  const [[code], out, error] = await Promise.all([
    once(child, "close") as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  if (code !== 0) throw new Error(`bowline ${args.join(" ")} ended with ${code}: ${out}${error}`);
  return error + out;
}

async function startCommand(
  program: Program,
  home: TestHome,
  { args, says, onOutput }: StartedCommand,
): Promise<ManagedProcess> {
  let printed = "";
  return ManagedProcess.start({
    name: `bowline ${args.slice(0, 2).join(" ")}`,
    ...commandOf(program, home, args),
    onOutput: (chunk) => {
      printed += chunk.toString();
      onOutput?.(chunk.toString());
    },
    isReady: async () => printed.includes(says),
  });
}
