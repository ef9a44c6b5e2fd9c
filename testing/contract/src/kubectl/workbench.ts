import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sandbox, type Sandbox } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";
import { findKubectl } from "./find-kubectl.ts";
import { Kubectl } from "./kubectl.ts";

/** A namespace, and a kubectl that works in it with a home of its own. */
export interface Workbench extends Sandbox, AsyncDisposable {
  readonly kubectl: Kubectl;
}

export async function workbench(cluster: RunningTarget): Promise<Workbench> {
  const space = await sandbox(cluster);
  const home = await mkdtemp(join(tmpdir(), "bowline-kubectl-"));
  const { kubeconfigPath, kubectlPath: program = findKubectl() } = cluster;
  const { namespace } = space;
  return {
    ...space,
    kubectl: new Kubectl({ program, kubeconfigPath, home, namespace }),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true, maxRetries: 5 }),
  };
}
