import { join } from "node:path";
import { missingPrograms } from "@bowline/test-services";
import { clusterPrograms } from "../cluster-programs.ts";
import { buildPlan } from "./build-plan.ts";
import { writeSourceOnlyApt } from "./debian-sources.ts";
import { runBuild, type BuildOptions } from "./run-build.ts";

/** Builds Kubernetes from Debian's source package, and installs what that and its use need. */
export async function buildKubernetes(options: BuildOptions): Promise<void> {
  await runBuild(options, async (folders) => {
    const missing = await missingPrograms(Object.values(clusterPrograms).flat());
    const packages = missing.map(({ debianPackage }) => debianPackage);
    return buildPlan(folders, packages, await writeSourceOnlyApt(join(folders.work, "apt")));
  });
}
