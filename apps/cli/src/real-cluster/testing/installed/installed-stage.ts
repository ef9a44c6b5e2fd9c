import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { bundleProgram, type Program } from "@bowline/packaging";
import { startApiServer, startCluster, type ApiServer } from "@bowline/test-cluster";
import { createTempFolder, freePort, ManagedProcess } from "@bowline/test-services";

import { TestHome } from "../../../testing/test-home.ts";
import { makeBinFolder } from "../bin-folder.ts";
import type { Kubectl } from "../kubectl.ts";
import { signIn, succeed, type Bowline } from "../people.ts";
import { ControlPlane, namespace, tags } from "./control-plane.ts";
import { startEndpointBalancer, type EndpointBalancer } from "./endpoint-balancer.ts";

/** A control plane as pods of one cluster, and the agent of another cluster, which is reached through it. */
export interface InstalledStage extends AsyncDisposable {
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
  const controlPlane = new ControlPlane(cluster, bowline, url);
  await controlPlane.prepare(program);
  await controlPlane.install(tags.before);
  const balancer = starting.use(
    await startEndpointBalancer(cluster, { port, namespace, service: "bowline", targetPort: 7443 }),
  );

  const [adminToken, caPem] = [await controlPlane.adminToken(), await controlPlane.caPem()];
  const [tokenFile, caFile] = [join(folder, "token"), join(folder, "ca.crt")];
  await Promise.all([writeFile(tokenFile, adminToken, { mode: 0o600 }), writeFile(caFile, caPem)]);
  await bowline(["login", url, "--token-file", tokenFile, "--ca-file", caFile]);
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

async function startCommand(
  program: Program,
  home: TestHome,
  { args, says, onOutput }: StartedCommand,
): Promise<ManagedProcess> {
  let printed = "";
  return ManagedProcess.start({
    name: `bowline ${args.slice(0, 2).join(" ")}`,
    command: process.execPath,
    args: [join(program.folder, "dist/bowline.mjs"), ...args],
    env: { PATH: process.env["PATH"], HOME: home.folder, BOWLINE_CONFIG: home.configFile },
    onOutput: (chunk) => {
      printed += chunk.toString();
      onOutput?.(chunk.toString());
    },
    isReady: async () => printed.includes(says),
  });
}
