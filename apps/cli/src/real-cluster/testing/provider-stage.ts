import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Cluster } from "@bowline/api";
import { createImageArchive } from "@bowline/packaging";
import {
  findClusterProcesses,
  findKubeBinaries,
  installProviderProgram,
  openPodAddress,
} from "@bowline/test-cluster";
import { createTempFolder } from "@bowline/test-services";

import { FakeTerminal } from "../../testing/fake-terminal.ts";
import { TestHome } from "../../testing/test-home.ts";
import { agentImage } from "./agent-image.ts";
import { makeBinFolder } from "./bin-folder.ts";
import { tracesOf, type ClusterTraces } from "./cluster-traces.ts";
import type { Kubectl } from "./kubectl.ts";
import { clusterName, invite, signIn, succeed, type Bowline } from "./people.ts";
import { startServer, type ServerProcess } from "./server.ts";

/** A server that makes clusters by the provider program of this project, before there is any. */
export interface ProviderStage extends AsyncDisposable {
  /** As the admin. */
  readonly bowline: Bowline;
  /** The folder in which the program has all clusters. */
  readonly clusters: string;
  /** Writes the Cluster. */
  readonly create: () => Promise<void>;
  readonly made: () => Promise<Cluster>;
  /** What the cluster was seen to be, one after the other. */
  readonly states: () => readonly string[];
  /** The names of the programs that run for the cluster, without those of its node. */
  readonly programs: () => Promise<readonly string[]>;
  readonly traces: () => Promise<ClusterTraces>;
  /** Kills the server as a machine that loses its power does, and starts another one on its data. */
  readonly replaceServer: () => Promise<void>;
  /** What the server has said last is in it. */
  readonly failure: (what: string, cause: unknown) => Error;
  /** May do everything in the cluster, through Bowline. */
  readonly operator: () => Promise<Kubectl>;
}

/** As Clusters name it. */
const programName = "real";

export async function openProviderStage(): Promise<ProviderStage> {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("made")).path;
  const agentArchive = join(folder, "agent.tar");
  const { path: command, clusters } = starting.use(await installProviderProgram(folder, [agentArchive]));
  const { address } = starting.use(await openPodAddress());
  const image = await agentImage(join(folder, "image"));
  await writeFile(agentArchive, await createImageArchive(image));
  const data = join(folder, "server");
  const flags = ["--provider-programs", `${programName}=${command}`, "--agent-image", image.name];
  let server = await startServer(data, address, { flags });
  const port = Number(new URL(server.url).port);
  starting.defer(() => server.process.stop());
  const home = starting.use(await TestHome.create());
  const bowline: Bowline = (args, stdin) => succeed(home, args, { stdin: stdin ?? "" });
  await bowline(["login", server.url, "--token-file", server.adminTokenFile, "--ca-file", server.caFile]);
  const states = followStates(starting, home);
  const made = async (): Promise<Cluster> =>
    JSON.parse((await bowline(["get", `cluster/${clusterName}`, "-o", "json"])).out) as Cluster;
  const folderOf = async (): Promise<string> => join(clusters, (await made()).metadata.id);
  const personHome = starting.use(await TestHome.create());
  const owned = starting.move();
  return {
    bowline,
    clusters,
    create: async () => {
      const spec = { provider: "exec", exec: { command: programName } };
      const cluster = { kind: "Cluster", metadata: { name: clusterName }, spec };
      await bowline(["apply", "-f", "-"], JSON.stringify(cluster));
    },
    made,
    states,
    programs: async () => (await findClusterProcesses(await folderOf())).map(({ name }) => name),
    traces: async () => tracesOf(await folderOf()),
    replaceServer: async () => {
      process.kill(server.process.pid, "SIGKILL");
      await server.process.exited;
      server = await startServer(data, address, { flags, port });
    },
    failure: (what, cause) => server.process.failure(what, cause),
    operator: () => operatorOf({ bowline, folder, home: personHome, server }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Follows the cluster by `bowline get --watch`, which survives the end of a server. */
function followStates(stack: AsyncDisposableStack, home: TestHome): () => readonly string[] {
  const terminal = new FakeTerminal();
  const stop = new AbortController();
  const watching = home.run(["get", "clusters", "--watch", "-o", "json"], { terminal, signal: stop.signal });
  stack.defer(async () => {
    stop.abort();
    await watching;
  });
  return () => {
    const seen = terminal.written.split("\n").slice(0, -1);
    const states = seen.flatMap((line) => (JSON.parse(line) as Cluster).status.provisioning?.state ?? []);
    return states.filter((state, index) => state !== states[index - 1]);
  };
}

interface OperatorOptions {
  readonly bowline: Bowline;
  readonly folder: string;
  readonly home: TestHome;
  readonly server: ServerProcess;
}

async function operatorOf({ bowline, folder, home, server }: OperatorOptions): Promise<Kubectl> {
  const binaries = await findKubeBinaries(process.env);
  return signIn(home, {
    token: await invite(bowline, "operator"),
    server,
    binFolder: await makeBinFolder(folder),
    kubectlPath: join(binaries?.folder ?? folder, "kubectl"),
  });
}
