import { access } from "node:fs/promises";
import { join } from "node:path";
import {
  aptGetCommand,
  bowlineCacheFolder,
  buildOnce,
  findGo,
  goBuildEnvironment,
  installDebianPackages,
  missingPrograms,
  whyNoDebianInstall,
  type BuildFolders,
  type CommandStep,
} from "@bowline/test-services";
import { enginePrograms } from "../cluster-programs.ts";

const composeModule = "github.com/docker/compose/v2/cmd@v2.40.3";
const programs = ["dockerd", "docker-proxy", "docker", "docker-compose"];

interface DockerTest {
  readonly skip: boolean;
  /** The folder that has the engine, its command and compose in it. */
  readonly folder: string;
}

/**
 * The container engine of Debian's package, and compose from Go modules, which Debian has only in an old form: once,
 * into the cache. The package is unpacked there and not installed, so that the machine gets no service from it. Where
 * this cannot be done, that is said.
 */
export async function dockerTest(env: NodeJS.ProcessEnv): Promise<DockerTest> {
  const folder = join(bowlineCacheFolder(env), "docker-compose-v2.40.3-1");
  const obstacle = await prepare(folder, env);
  if (obstacle !== undefined)
    process.stderr.write(`Tests with a container engine did not run: ${obstacle}.\n`);
  return { skip: obstacle !== undefined, folder };
}

async function prepare(folder: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const noDebian = await whyNoDebianInstall();
  if (noDebian !== undefined) return noDebian;
  const missing = await missingPrograms(enginePrograms);
  await installDebianPackages(missing.map(({ debianPackage }) => debianPackage));
  const isBuilt = (): Promise<boolean> => hasAll(folder);
  if (await isBuilt()) return undefined;
  const { go, obstacle } = await findGo(env);
  if (obstacle !== undefined) return obstacle;
  process.stderr.write(`Making a container engine in ${folder}: once, some minutes on 2 cores.\n`);
  const { signal } = new AbortController();
  await buildOnce({ folder, output: process.stderr, signal, isBuilt }, async (folders) => [
    ...engineSteps(folders),
    ...composeSteps(go, env, folders),
  ]);
  return undefined;
}

function engineSteps({ work, bin }: BuildFolders): CommandStep[] {
  const { command, args, env } = aptGetCommand(["download", "docker.io", "libdevmapper1.02.1"]);
  const unpack = [
    'for package in *.deb; do dpkg-deb --extract "$package" unpacked; done',
    'mv unpacked/usr/sbin/dockerd unpacked/usr/sbin/docker-proxy unpacked/usr/bin/docker "$1"',
    // The one library of the engine that a small Debian lacks.
    'find unpacked -name "libdevmapper.so.*" -exec mv {} "$1" ";"',
  ].join("\n");
  return [
    { kind: "command", title: "Download the engine", command, args, env, cwd: work },
    {
      kind: "command",
      title: "Unpack the engine",
      command: "sh",
      args: ["-ec", unpack, "unpack", bin],
      env,
      cwd: work,
    },
  ];
}

/** A module of our own that names it as a tool: it says things of its dependencies that `go install` refuses. */
function composeSteps(go: string, env: NodeJS.ProcessEnv, folders: BuildFolders): CommandStep[] {
  const step = (title: string, ...args: string[]): CommandStep => ({
    kind: "command",
    title,
    command: go,
    args,
    env: goBuildEnvironment(env, folders),
    cwd: folders.work,
  });
  const [program = ""] = composeModule.split("@");
  return [
    step("Begin a module", "mod", "init", "compose"),
    step("Download compose", "get", "-tool", composeModule),
    step("Compile compose", "build", "-trimpath", "-o", join(folders.bin, "docker-compose"), program),
  ];
}

async function hasAll(folder: string): Promise<boolean> {
  return Promise.all(programs.map((program) => access(join(folder, program)))).then(
    () => true,
    () => false,
  );
}
