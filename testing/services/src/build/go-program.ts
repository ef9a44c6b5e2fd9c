import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { findProgram } from "../find-program.ts";
import type { BuildFolders } from "./run-build.ts";

/** What the programs that tests build from Go modules are written for. */
const oldestGoMinor = 26;

export interface FoundGo {
  /** The path of the compiler. */
  readonly go: string;
  /** Why it cannot build them; undefined when it can. */
  readonly obstacle: string | undefined;
}

/** The Go of this machine, and whether it is new enough for programs that are built from modules. */
export async function findGo(env: NodeJS.ProcessEnv): Promise<FoundGo> {
  const go = await findProgram({ program: "go", debianPackage: "golang-go" }, env);
  if (go === undefined) return { go: "go", obstacle: "there is no Go in PATH" };
  const { stdout } = await promisify(execFile)(go, ["env", "GOVERSION"], {
    env: { ...env, GOTOOLCHAIN: "local" },
  });
  const [, minor] = /^go1\.(\d+)/u.exec(stdout) ?? [];
  const isNewEnough = Number(minor) >= oldestGoMinor;
  const obstacle = `Go 1.${oldestGoMinor} or newer is needed, and ${go} is ${stdout.trim()}`;
  return { go, obstacle: isNewEnough ? undefined : obstacle };
}

/** The environment of a build that leaves nothing outside of its folders. */
export function goBuildEnvironment(env: NodeJS.ProcessEnv, { work, bin }: BuildFolders): NodeJS.ProcessEnv {
  return {
    ...env,
    GOBIN: bin,
    TMPDIR: join(work, "tmp"),
    GOMODCACHE: join(work, "go-modules"),
    GOCACHE: join(work, "go-cache"),
    // Modules that nobody may write to could not be deleted with the rest.
    GOFLAGS: "-modcacherw",
    GOTOOLCHAIN: "local",
    GOWORK: "off",
    CGO_ENABLED: "0",
  };
}
