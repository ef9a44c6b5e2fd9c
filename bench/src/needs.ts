import { findKubeBinaries } from "@bowline/test-cluster";
import { installMissingPrograms } from "@bowline/test-services";
import { missingPrograms, type TestProgram } from "@bowline/test-services/programs";

/** The release that the figures in bench/README.md were taken on. */
export const apiServerRelease = "1.20";

/** The programs that a benchmark starts beside our own. */
export interface Needs {
  /** Installed where that can be done; without one of them the benchmark does not start. */
  readonly programs: readonly TestProgram[];
  /** Left out of the measurement where they are missing. */
  readonly neighbours?: readonly TestProgram[];
  /** A real API server, which takes a while to build: never built here. */
  readonly apiServer?: "required" | "neighbour";
}

/** The effects of the look at the machine, which tests replace. */
export interface NeedsOptions {
  readonly tell: (message: string) => void;
  readonly env?: NodeJS.ProcessEnv;
  readonly install?: typeof installMissingPrograms;
}

/** Looks for everything before anything is measured. Resolves to an exit code: not 0 when the benchmark cannot start. */
export async function meetNeeds(
  { programs, neighbours = [], apiServer }: Needs,
  { tell, env = process.env, install = installMissingPrograms }: NeedsOptions,
): Promise<number> {
  const hasApiServer =
    apiServer === undefined || (await findKubeBinaries(env, apiServerRelease)) !== undefined;
  if (!hasApiServer && apiServer === "required") {
    tell(`There is no Kubernetes ${apiServerRelease} on this machine: \`npm run test:cluster\` builds it.`);
    return 1;
  }
  const missing = await missingPrograms(programs, env);
  const code = missing.length === 0 ? 0 : await install(missing, "the measurements");
  if (code !== 0) return code;
  for (const { program, debianPackage } of await missingPrograms(neighbours, env)) {
    tell(`Without ${program}, which is not on this machine (on Debian: apt-get install ${debianPackage}).`);
  }
  if (!hasApiServer) {
    tell(`Without a real API server: \`npm run test:cluster\` builds Kubernetes ${apiServerRelease}.`);
  }
  return 0;
}
