import {
  monitoringApiVersion,
  render,
  type KubeObject,
  type Reference,
  type Rejected,
  type RenderOptions,
  type ValueRef,
} from "@bowline/monitoring";
import { keyOf } from "@bowline/runtime";

import { fitSecrets, type Fitted, type Rendered } from "../objects/fit-secrets.ts";
import { metricsAgents, type MetricsAgent } from "../objects/kinds.ts";
import { mountPaths } from "../objects/pod-layout.ts";
import type { Files } from "../objects/secrets.ts";
import type { AgentInterests } from "../watch/agent-interests.ts";
import type { ClusterCache, FamilyCache } from "../watch/cluster-cache.ts";
import type { HolderRef, ReferencedValues } from "../watch/referenced-values.ts";
import type { AgentFamily } from "./agent-family.ts";

interface RenderParts {
  readonly family: Pick<AgentFamily, "instances" | "adoptInstance">;
  readonly cache: Pick<ClusterCache, "namespaceLabels">;
  readonly familyCache: Pick<FamilyCache, "selectable">;
  readonly interests: Pick<AgentInterests, "replace" | "dependenciesOf">;
  readonly values: ReferencedValues;
  readonly endpointSliceSupported: boolean;
}

export interface RenderedAgent extends Pick<Fitted, "result" | "secrets"> {
  /** Holders that exist and may not be read. */
  readonly forbidden: readonly HolderRef[];
}

/** How many rounds of reading it takes when objects change meanwhile; what comes later is an event. */
const maxRounds = 5;
const readsAtOnce = 8;

/**
 * Finds the instances, the monitors and the values of an agent, and makes its configuration.
 *
 * The dependencies of the configuration are given to the watches in the same turn in which the caches were read, and
 * before anything can fail or be waited for: no event falls between, and after a failure the ones before still stand.
 */
export async function renderAgent(
  parts: RenderParts,
  agent: MetricsAgent,
  signal: AbortSignal,
): Promise<RenderedAgent> {
  const { interests, values } = parts;
  const key = keyOf(agent);
  const read = new Set<string>();
  const readStale = async (refs: readonly HolderRef[]): Promise<boolean> => {
    const stale = distinct(refs).filter((ref) => values.isStale(ref) && !read.has(idOf(ref)));
    for (let start = 0; start < stale.length; start += readsAtOnce) {
      const some = stale.slice(start, start + readsAtOnce);
      for (const ref of some) read.add(idOf(ref));
      await Promise.all(some.map((ref) => values.read(ref, signal)));
    }
    return stale.length > 0;
  };

  // Mostly the references are those of last time; then one rendering is enough.
  await readStale(interests.dependenciesOf(key)?.references ?? []);
  let rendered = renderNow(parts, agent);
  for (let round = 1; round < maxRounds && (await readStale(rendered.result.references)); round++) {
    rendered = renderNow(parts, agent);
  }
  const { result, secrets } = fitSecrets(agent, rendered, (refuse) => renderNow(parts, agent, refuse));
  values.dropUnreferred();
  return {
    result,
    secrets,
    forbidden: distinct(result.references).filter((ref) => values.isForbidden(ref)),
  };
}

function renderNow(parts: RenderParts, agent: MetricsAgent, refuse?: RenderOptions["refuse"]): Rendered {
  const { family, cache, familyCache, interests, values, endpointSliceSupported } = parts;
  const namespaces = [...cache.namespaceLabels()].map(([name, labels]) => ({
    kind: "Namespace",
    metadata: { name, labels },
  }));
  const selectable = familyCache
    .selectable()
    .map((object): KubeObject =>
      object.kind === family.instances.kind ? family.adoptInstance(object).object : object,
    );
  const root = { ...agent, apiVersion: monitoringApiVersion, kind: metricsAgents.kind };
  const result = render(
    { root, objects: [...selectable, ...namespaces] },
    {
      refuse,
      isForbidden: (ref) => values.isForbidden(ref),
      resolve: (ref) => (isNameable(ref) ? values.bytesOf(ref)?.toString("utf8") : undefined),
      endpointSliceSupported,
      mode: "agent",
      certsDirectory: mountPaths.files,
    },
  );
  interests.replace(keyOf(agent), result);
  return {
    result: { ...result, rejected: result.rejected.map((each) => ofItsKind(each, agent)) },
    files: filesOf(result.references, values),
  };
}

/** The root by the name that people know it by. */
function ofItsKind(rejected: Rejected, { kind }: MetricsAgent): Rejected {
  const { object } = rejected;
  return object.kind === metricsAgents.kind ? { ...rejected, object: { ...object, kind } } : rejected;
}

/**
 * The name of the file for a key has all three names in it, and no key of a Secret is longer than this. One that is
 * would have the server refuse the Secret with everybody's files.
 */
const maxKeyLength = 253;

function isNameable({ namespace, name, key }: ValueRef): boolean {
  return `0_${namespace}_${name}_${key}`.length <= maxKeyLength;
}

/** Files of the configuration. Files of monitors that were left out would only take the room of others. */
function filesOf(references: readonly Reference[], values: ReferencedValues): Files {
  return new Map(
    references.flatMap((reference) => {
      const { file, needed } = reference;
      const bytes = needed === true ? values.bytesOf(reference) : undefined;
      return file === undefined || bytes === undefined ? [] : [[file, bytes] as const];
    }),
  );
}

function distinct(refs: readonly HolderRef[]): HolderRef[] {
  return [...new Map(refs.map((ref) => [idOf(ref), ref])).values()];
}

function idOf({ kind, namespace, name }: HolderRef): string {
  return `${kind}/${namespace}/${name}`;
}
