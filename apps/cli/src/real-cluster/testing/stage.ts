import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { startCluster, type Cluster } from "@bowline/test-cluster";
import { createTempFolder } from "@bowline/test-services";

import { TestHome } from "../../testing/test-home.ts";
import { agentImage } from "./agent-image.ts";
import { prepareApiAudit, type ApiAudit } from "./api-audit.ts";
import { makeBinFolder } from "./bin-folder.ts";
import { startBoxes } from "./boxes.ts";
import type { Kubectl } from "./kubectl.ts";
import { clusterName, invite, people, signIn, succeed, type Bowline, type Person } from "./people.ts";
import { startServer, type ServerProcess } from "./server.ts";

/** A real cluster whose agent is one of its pods, a real server, and people who use it. */
export interface Stage extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly apiAudit: ApiAudit;
  readonly bowline: Bowline;
  readonly serverUrl: string;
  /** Where the server has its database. */
  readonly dataFolder: string;
  /** Everything the server has printed. */
  readonly serverLog: () => string;
  /** Where the Kubernetes API of the cluster is. */
  readonly endpoint: string;
  readonly caPem: string;
  readonly tokens: Readonly<Record<Person, string>>;
  /** May do everything: a grant puts it into the group `system:masters`. */
  readonly operator: Kubectl;
  /** Is in a group to which the cluster gives its own role `view`. */
  readonly viewer: Kubectl;
}

export async function openStage(): Promise<Stage> {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("program"));
  const binFolder = await makeBinFolder(folder.path);
  const apiAudit = await prepareApiAudit(folder.path);
  const cluster = starting.use(await startCluster({ extraFlags: apiAudit.flags }));
  const home = starting.use(await TestHome.create());
  const dataFolder = join(home.folder, "server");
  const server = await startServer(dataFolder, cluster.hostAddress);
  starting.use(server.process);
  const bowline: Bowline = (args, stdin) => succeed(home, args, { stdin: stdin ?? "" });
  await bowline(["login", server.url, "--token-file", server.adminTokenFile, "--ca-file", server.caFile]);
  await cluster.importImage(await agentImage(join(folder.path, "image")));
  await addCluster(cluster, bowline);

  const tokens = { operator: await invite(bowline, "operator"), viewer: await invite(bowline, "viewer") };
  const kubectlOf = async (user: Person): Promise<Kubectl> => {
    const ownHome = starting.use(await TestHome.create());
    return signIn(ownHome, { binFolder, ...cluster, token: tokens[user], server });
  };
  const [operator, viewer] = [await kubectlOf("operator"), await kubectlOf("viewer")];
  await startBoxes(cluster);
  await untilConnected(bowline, server);
  const serverUrl = server.url;
  const endpoint = `${serverUrl}/clusters/${clusterName}`;
  const caPem = await readFile(server.caFile, "utf8");
  const owned = starting.move();
  const close = (): Promise<void> => owned.disposeAsync();
  return {
    cluster,
    apiAudit,
    bowline,
    serverUrl,
    dataFolder,
    serverLog: server.printed,
    endpoint,
    caPem,
    tokens,
    operator,
    viewer,
    [Symbol.asyncDispose]: close,
  };
}

/** What the guide says, and who is a viewer in the cluster. */
async function addCluster(cluster: Cluster, bowline: Bowline): Promise<void> {
  const { out: manifest } = await bowline(["cluster", "add", clusterName]);
  await cluster.kubectl(["apply", "-f", "-"], { input: manifest });
  const binding = ["clusterrolebinding", "bowline-viewers", "--clusterrole=view", `--group=${people.viewer}`];
  await cluster.kubectl(["create", ...binding]);
}

async function untilConnected(bowline: Bowline, server: ServerProcess): Promise<void> {
  const connected = ["--for", "condition=AgentConnected", "--timeout", "150s"];
  try {
    await bowline(["wait", `cluster/${clusterName}`, ...connected]);
  } catch (error) {
    throw server.process.failure("saw no agent", error);
  }
}
