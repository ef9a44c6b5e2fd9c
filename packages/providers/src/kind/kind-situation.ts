import { join } from "node:path";

import type { Environment } from "@bowline/core";

import type { ProviderWork } from "../provider.ts";
import type { ResourceRecord } from "../resource-record.ts";
import { Creation, type CreationPlan, type CreationState } from "./creation.ts";
import { Engine, findEngine, isEngineName, type NodeContainer } from "./engine.ts";
import { kindClusterName, kindWish } from "./kind-config.ts";
import type { ProgramContext } from "./run-program.ts";

/** The machine that makes clusters with kind. */
export interface KindHost {
  /** Of Bowline alone; what kind is about is in it, a folder for each cluster. */
  readonly folder: string;
  readonly environment: Environment;
  /** Whether this runs in a container beside those of the clusters, and reaches them by their names. */
  readonly isInNetwork?: boolean;
}

/** All that can be seen of a cluster at one moment. */
export interface KindSituation {
  readonly engine: Engine;
  /** Containers of this cluster, of whatever attempt. */
  readonly own: readonly NodeContainer[];
  /** Containers of a cluster of that name which carry no mark of ours. */
  readonly foreign: readonly NodeContainer[];
  readonly creation: Creation;
  readonly state: CreationState;
  /** With what it was begun, as far as that is known. */
  readonly begun: Partial<CreationPlan>;
}

export function programContext(
  { environment }: KindHost,
  { signal }: Pick<ProviderWork, "signal">,
): ProgramContext {
  return { environment, signal };
}

export function clusterFolder({ folder }: KindHost, { cluster }: ProviderWork): string {
  return join(folder, cluster.id);
}

export function wishOf({ cluster }: ProviderWork): string {
  return JSON.stringify(kindWish(cluster.spec));
}

export function creationOf(host: KindHost, work: ProviderWork, token: string): Creation {
  return new Creation(join(clusterFolder(host, work), token), programContext(host, work));
}

export async function lookAt(
  host: KindHost,
  work: ProviderWork,
  record: ResourceRecord | undefined,
): Promise<KindSituation> {
  const context = programContext(host, work);
  const known = recorded(record);
  const noted = record === undefined ? undefined : creationOf(host, work, record.token);
  const name =
    known.engine ??
    (await noted?.plan())?.engine ??
    (await findEngine(work.cluster.spec.kind?.engine, context));
  const engine = new Engine(name, context);
  // Containers are looked at last: those of a creation that has just ended are all there.
  const state = await noted?.state();
  const nodes = await engine.nodes(kindClusterName(work.cluster));
  const isOwn = ({ mark }: NodeContainer): boolean => mark?.cluster === work.cluster.id;
  const own = nodes.filter(isOwn);
  // Where the records are lost, the containers know of which attempt they are.
  const creation = noted ?? creationOf(host, work, own[0]?.mark?.token ?? "unknown");
  return {
    engine,
    own,
    foreign: nodes.filter((node) => !isOwn(node)),
    creation,
    state: state ?? (await creation.state()),
    begun: { engine: name, ...(await creation.plan()), ...known },
  };
}

function recorded(record: ResourceRecord | undefined): Partial<CreationPlan> {
  const { engine, wish } = record?.attributes ?? {};
  return {
    ...(isEngineName(engine) ? { engine } : {}),
    ...(typeof wish === "string" ? { wish } : {}),
  };
}
