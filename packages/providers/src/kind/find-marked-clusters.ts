import { Engine, findEngine, type EngineName } from "./engine.ts";
import type { NodeMark } from "./node-mark.ts";
import { programContext, type KindHost } from "./kind-situation.ts";

/** A cluster of kind that Bowline has made, as its containers say. */
export interface MarkedCluster extends Omit<NodeMark, "token"> {
  readonly engine: EngineName;
  /** kind's name for it. */
  readonly kindName: string;
  readonly containers: readonly string[];
}

/** All that Bowline has made with kind in an engine, whichever installation of it: what records say does not count. */
export async function findMarkedClusters(
  wanted: EngineName | undefined,
  host: KindHost,
  signal: AbortSignal,
): Promise<MarkedCluster[]> {
  const context = programContext(host, { signal });
  const engine = new Engine(await findEngine(wanted, context), context);
  const found = new Map<string, MarkedCluster>();
  for (const { mark, name, cluster: kindName } of await engine.nodes()) {
    if (mark === undefined) continue;
    const { installation, cluster, name: clusterName } = mark;
    const containers = [...(found.get(kindName)?.containers ?? []), name];
    found.set(kindName, {
      installation,
      cluster,
      name: clusterName,
      engine: engine.name,
      kindName,
      containers,
    });
  }
  return [...found.values()];
}
