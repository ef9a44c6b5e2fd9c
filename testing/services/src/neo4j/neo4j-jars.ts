import { execFile } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { bowlineCacheFolder, buildOnce } from "../build/build-once.ts";
import type { BuildFolders, BuildStep } from "../build/run-build.ts";
import { findProgram, type RequiredProgram } from "../find-program.ts";
import type { ProgressOutput } from "../step-progress.ts";

/** The last release that runs on Java 17, and is looked after for long. */
const neo4jVersion = "5.26.12";
const oldestJava = 17;

export const javaProgram = {
  program: "java",
  debianPackage: "openjdk-17-jdk-headless",
} as const satisfies RequiredProgram;
const mavenProgram = { program: "mvn", debianPackage: "maven" } as const satisfies RequiredProgram;

export interface Neo4jJarsOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly output: ProgressOutput;
  readonly signal: AbortSignal;
}

/** Why no Neo4j can be started here; undefined when it can. */
export async function whyNoNeo4j(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const java = await findProgram(javaProgram, env);
  if (java === undefined) return `there is no Java ${oldestJava} or newer in PATH`;
  const { stdout } = await promisify(execFile)(java, ["--list-modules"], { env }).catch(() => ({
    // Java 8 does not know the question.
    stdout: "java.base@8",
  }));
  const [, version = "unknown"] = /^java\.base@(\d+)/m.exec(stdout) ?? [];
  if (!(Number(version) >= oldestJava)) {
    return `Java ${oldestJava} or newer is needed, and ${java} is Java ${version}`;
  }
  if (!/^jdk\.compiler@/m.test(stdout)) return `${java} comes without a compiler`;
  if (await hasJars(jarFolder(env))) return undefined;
  const maven = await findProgram(mavenProgram, env);
  return maven === undefined ? "there is no Maven (mvn) in PATH to get Neo4j with" : undefined;
}

/** The folder with Neo4j and all it needs, from wherever Maven gets what it is asked for on this machine. */
export async function neo4jJars({ env, output, signal }: Neo4jJarsOptions): Promise<string> {
  const folder = jarFolder(env);
  const isBuilt = (): Promise<boolean> => hasJars(folder);
  if (!(await isBuilt())) {
    await buildOnce({ folder, output, signal, isBuilt }, (folders) => downloadPlan(folders, env));
  }
  return folder;
}

function jarFolder(env: NodeJS.ProcessEnv): string {
  return join(bowlineCacheFolder(env), `neo4j-${neo4jVersion}`);
}

/** A folder of the cache is filled as a whole or not at all. */
async function hasJars(folder: string): Promise<boolean> {
  const files: string[] = await readdir(folder).catch(() => []);
  return files.includes(`neo4j-${neo4jVersion}.jar`);
}

async function downloadPlan({ work, bin }: BuildFolders, env: NodeJS.ProcessEnv): Promise<BuildStep[]> {
  await writeFile(join(work, "pom.xml"), projectFile);
  return [
    {
      kind: "command",
      title: `Download Neo4j ${neo4jVersion}`,
      command: (await findProgram(mavenProgram, env)) ?? mavenProgram.program,
      args: [
        "--batch-mode",
        "dependency:copy-dependencies",
        "-DincludeScope=runtime",
        `-DoutputDirectory=${bin}`,
      ],
      env,
      cwd: work,
    },
  ];
}

/** A project that is nothing but its dependency. */
const projectFile = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>bowline</groupId>
  <artifactId>neo4j-for-tests</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.neo4j</groupId>
      <artifactId>neo4j</artifactId>
      <version>${neo4jVersion}</version>
    </dependency>
  </dependencies>
</project>
`;
