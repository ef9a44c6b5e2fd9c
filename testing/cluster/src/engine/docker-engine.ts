import { mkdir, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { createTempFolder, runCommand } from "@bowline/test-services";
import { createCgroupRoot } from "../node/cgroup-root.ts";
import { chooseNodeAddresses } from "../node/node-address.ts";
import { nodeFilesFolder, NodeNamespace } from "../node/node-namespace.ts";

export interface DockerEngine extends AsyncDisposable {
  /** What `docker` and `docker compose` need to find it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The command line that runs a program where the ports are that containers publish. */
  onItsNetwork(...argv: readonly string[]): string[];
  logs(): Record<string, string[]>;
}

/**
 * A container engine in namespaces of its own, from the programs in the folder: its bridges, rules and mounts are not
 * those of this machine, and go with it. Nothing can be pulled: images are loaded. Root on Linux only.
 */
export async function startDockerEngine(programs: string): Promise<DockerEngine> {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("engine")).path;
  const cgroupRoot = starting.use(await createCgroupRoot());
  const node = starting.use(await NodeNamespace.start(folder, chooseNodeAddresses()));
  const config = join(folder, "docker");
  await mkdir(join(config, "cli-plugins"), { recursive: true });
  await symlink(join(programs, "docker-compose"), join(config, "cli-plugins", "docker-compose"));
  const socket = join(node.filesFolder, "docker.sock");
  const environment = {
    DOCKER_HOST: `unix://${socket}`,
    DOCKER_CONFIG: config,
    PATH: `${programs}:/usr/sbin:/usr/bin:/sbin:/bin`,
  };
  await writeFile(join(node.filesFolder, "docker.json"), "{}");
  await node.start({
    name: "dockerd",
    command: "env",
    args: [
      `PATH=${environment.PATH}`,
      `LD_LIBRARY_PATH=${programs}`,
      "dockerd",
      `--host=unix://${nodeFilesFolder}/${basename(socket)}`,
      // Whatever is in /etc is about another engine.
      `--config-file=${nodeFilesFolder}/docker.json`,
      "--exec-opt=native.cgroupdriver=cgroupfs",
      `--cgroup-parent=${cgroupRoot.name}`,
    ],
    isReady: () => answers(environment),
    readyTimeoutMs: 60_000,
  });
  const owned = starting.move();
  return {
    environment,
    onItsNetwork: (...argv) => node.onItsNetwork(...argv),
    logs: () => node.logs(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Its socket is there before anybody answers. */
async function answers(env: Readonly<Record<string, string>>): Promise<boolean> {
  await runCommand({ command: "docker", args: ["info"], env });
  return true;
}
