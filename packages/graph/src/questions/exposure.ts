import type { GraphNode } from "../graph/graph.ts";
import { nodeKey } from "../model/node.ts";
import { severities, type Severity } from "../rbac/finding.ts";
import { answerEdge, type WalkEdge } from "./answer-edge.ts";
import {
  answerNode,
  maySee,
  notObserved,
  usingKinds,
  type AnswerFrame,
  type AnswerNode,
  type Asking,
} from "./asking.ts";
import { entriesOf, type Entry, type EntryWay } from "./exposed-services.ts";
import { ExposureCuts } from "./exposure-cut.ts";
import { Owners } from "./owners.ts";
import type { Hop } from "./path.ts";
import { PodSecrets, type SecretWay } from "./pod-secrets.ts";
import { rbacKinds } from "./rbac-of.ts";
import { SecretRights } from "./secret-rights.ts";

export interface ExposureAnswer extends AnswerFrame {
  readonly total: number;
  /** The worst first. */
  readonly exposures: readonly Exposure[];
  readonly bySeverity: Readonly<Partial<Record<Severity, number>>>;
}

/** A Secret that can be read from behind a Service that is reached from outside. */
export interface Exposure {
  /** The same for as long as there is any way, whichever pods there are. */
  readonly id: string;
  readonly severity: Severity;
  readonly service: AnswerNode;
  /** By what the Service is reached from outside. */
  readonly entry: EntryWay;
  readonly secret: AnswerNode;
  readonly hops: readonly Hop[];
  /** How many fields and rules lead there. */
  readonly ways: number;
  /** The fewest things that have to go, all of them, so that there is no way any more. */
  readonly cuts: readonly string[];
  readonly cut: string;
}

export interface ExposureOptions {
  readonly limit?: number | undefined;
  readonly namespace?: string | undefined;
}

/** Kinds of the ways from outside to pods, beside those that use others. */
const entryKinds = [
  "Service",
  "EndpointSlice",
  "HTTPRoute",
  "GRPCRoute",
  "TLSRoute",
  "TCPRoute",
  "UDPRoute",
] as const;

const cutsTold = 100;

/** More pairs than anybody looks at: a ServiceAccount that reads everything makes one with each Secret. */
const maxPairs = 50_000;

interface Pair {
  readonly id: string;
  readonly severity: Severity;
  readonly entry: Entry;
  readonly secret: GraphNode;
  /** The shortest and least expected first. */
  readonly ways: readonly SecretWay[];
}

/** Secrets that somebody gets at who takes over a pod behind a Service that is reached from outside. */
export function exposure(asking: Asking, options: ExposureOptions = {}): ExposureAnswer {
  const { limit = 1_000, namespace } = options;
  const { graph } = asking;
  const [rights, owners] = [new SecretRights(graph), new Owners(graph)];
  const { pairs, isCut } = collect(asking, new PodSecrets(graph, rights, owners), namespace);
  const cuts = new ExposureCuts(asking, rights, owners);
  const visible = pairs.filter(
    ({ entry, secret }) => maySee(asking, entry.service) && maySee(asking, secret),
  );
  visible.sort((one, other) => rank(one) - rank(other) || (one.id < other.id ? -1 : 1));
  const bySeverity: Partial<Record<Severity, number>> = {};
  for (const { severity } of visible) bySeverity[severity] = (bySeverity[severity] ?? 0) + 1;
  return {
    total: pairs.length,
    exposures: visible.slice(0, limit).map((pair) => answerPair(asking, pair, cuts)),
    bySeverity,
    withheld: pairs.length - visible.length,
    truncated: isCut || visible.length > limit,
    notObserved: notObserved(asking, {
      ...(namespace === undefined ? {} : { namespaces: [namespace] }),
      kinds: new Set([...usingKinds, ...rbacKinds, ...entryKinds, "Secret"]),
    }),
  };
}

function collect(
  asking: Asking,
  secrets: PodSecrets,
  namespace: string | undefined,
): { pairs: Pair[]; isCut: boolean } {
  const { graph } = asking;
  const pairs: Pair[] = [];
  for (const entry of entriesOf(asking, namespace)) {
    const found = new Map<GraphNode, Map<string, SecretWay>>();
    for (const toPod of entry.pods) {
      for (const way of secrets.from(toPod)) {
        const known = found.get(way.secret);
        // Replicas have the same ways, which count once.
        if (known === undefined) found.set(way.secret, new Map([[way.key, way]]));
        else if (!known.has(way.key)) known.set(way.key, way);
      }
    }
    for (const [secret, ways] of found) {
      if (pairs.length >= maxPairs) return { pairs, isCut: true };
      const ordered = [...ways.values()].toSorted((one, other) => one.edges.length - other.edges.length);
      pairs.push({
        id: `Exposure/${graph.cluster(entry.service) ?? ""}/${nodeKey(graph.ref(entry.service))}/${nodeKey(graph.ref(secret))}`,
        severity: worst(ordered),
        entry,
        secret,
        ways: ordered,
      });
    }
  }
  return { pairs, isCut: false };
}

/** Somebody meant an application to have what it is given by name; rules for all Secrets are for more than it needs. */
function worst(ways: readonly SecretWay[]): Severity {
  const each = ways.map(({ reach }) => ({ given: 2, some: 2, namespace: 1, cluster: 0 })[reach]);
  return severities[Math.min(...each)] ?? "medium";
}

function rank({ severity }: Pair): number {
  return severities.indexOf(severity);
}

function answerPair(asking: Asking, pair: Pair, exposureCuts: ExposureCuts): Exposure {
  const { id, severity, entry, secret } = pair;
  const [way] = pair.ways;
  const { ways, cuts, sentence } = exposureCuts.of(entry, secret, pair.ways);
  const edges: readonly WalkEdge[] = [...entry.edges, ...(way?.edges ?? [])];
  return {
    id,
    severity,
    service: answerNode(asking, entry.service),
    entry: entry.edges.every(({ from, to }) => maySee(asking, from) && maySee(asking, to))
      ? entry.way
      : "withheld",
    secret: answerNode(asking, secret),
    hops: edges.map((edge) => hopOver(asking, edge)),
    ways,
    cuts: cuts.slice(0, cutsTold),
    cut: sentence,
  };
}

/** What comes in by a Gateway goes to the routes that are attached to it. */
function hopOver(asking: Asking, edge: WalkEdge): Hop {
  const [from, to] = edge.type === "ATTACHED_TO" ? [edge.to, edge.from] : [edge.from, edge.to];
  return {
    from: answerNode(asking, from),
    to: answerNode(asking, to),
    edges: [answerEdge(asking, edge)],
  };
}
