import type { Graph, GraphEdge, GraphNode } from "../graph/graph.ts";
import {
  answerNode,
  maySee,
  notObserved,
  sortKey,
  usingKinds,
  type AnswerFrame,
  type AnswerNode,
  type Asking,
} from "./asking.ts";
import { Owners } from "./owners.ts";

export interface ImagesAnswer extends AnswerFrame {
  readonly total: number;
  readonly images: readonly ImageUse[];
}

export interface ImageUse {
  /** `sha256:…`; absent while nobody knows it. */
  readonly digest?: string;
  /** The references by which it was asked for, those of most containers first. */
  readonly aliases: readonly ImageAlias[];
  readonly containers: number;
  readonly clusters: readonly string[];
  /** The workloads that run it. */
  readonly where: readonly ImagePlace[];
  /** Containers of whom the asker may not see. */
  readonly withheld: number;
}

export interface ImageAlias {
  readonly reference: string;
  readonly registry?: string;
  readonly repository?: string;
  readonly tag?: string;
  readonly containers: number;
}

export interface ImagePlace {
  readonly workload: AnswerNode;
  readonly containers: number;
}

export interface ImagesOptions {
  /** Part of a reference or digest. */
  readonly text?: string | undefined;
  readonly limit?: number | undefined;
  /** Workloads of one image. */
  readonly placeLimit?: number | undefined;
}

const aliasesTold = 100;

/** What runs where: images by digest, over all clusters. */
export function images(asking: Asking, options: ImagesOptions = {}): ImagesAnswer {
  const { graph } = asking;
  const owners = new Owners(graph);
  const all = [...graph.nodes("ContainerImage")].map((image) => imageUse(asking, owners, image));
  const known = new Set(all.flatMap(({ use }) => (use.digest === undefined ? [] : references(use))));
  const wanted = all.filter(({ use }) => {
    // Templates name images by reference; what their pods run is told by digest.
    const isTemplate =
      use.digest === undefined && use.containers === 0 && references(use).every((one) => known.has(one));
    return !isTemplate && isWanted(use, options.text ?? "");
  });
  const visible = wanted.filter(({ isVisible }) => isVisible).map(({ use }) => use);
  visible.sort((one, other) => (imageKey(one) < imageKey(other) ? -1 : 1));
  const limit = options.limit ?? 1_000;
  const told = visible.slice(0, limit).map((use) => ({
    ...use,
    aliases: use.aliases.slice(0, aliasesTold),
    where: use.where.slice(0, options.placeLimit ?? 100),
  }));
  return {
    total: wanted.length,
    images: told,
    withheld: wanted.length - visible.length,
    truncated:
      visible.length > limit ||
      visible.some(
        ({ where, aliases }) => where.length > (options.placeLimit ?? 100) || aliases.length > aliasesTold,
      ),
    notObserved: notObserved(asking, { kinds: usingKinds }),
  };
}

interface ImageRow {
  readonly use: ImageUse;
  readonly isVisible: boolean;
}

function imageUse(asking: Asking, owners: Owners, image: GraphNode): ImageRow {
  const { graph } = asking;
  const aliases = new Map<string, CountedAlias>();
  const places = new Map<GraphNode, number>();
  let [containers, hidden, users] = [0, 0, 0];
  for (const edge of graph.in(image)) {
    if (edge.type !== "RUNS_IMAGE") continue;
    users += 1;
    const isContainer = graph.kind(edge.from) === "Container";
    if (isContainer) containers += 1;
    if (!maySee(asking, edge.from)) {
      hidden += 1;
      continue;
    }
    count(aliases, edge, isContainer);
    const workload = owners.top(isContainer ? podOf(graph, edge.from) : edge.from);
    places.set(workload, (places.get(workload) ?? 0) + (isContainer ? 1 : 0));
  }
  const name = graph.name(image);
  const use: ImageUse = {
    ...(name.startsWith("ref:") ? {} : { digest: name }),
    aliases: [...aliases.values()].toSorted((one, other) => other.containers - one.containers),
    containers,
    clusters: graph.clustersOf(image).toSorted(),
    where: [...places]
      .toSorted(([one], [other]) => (sortKey(graph, one) < sortKey(graph, other) ? -1 : 1))
      .map(([workload, count]) => ({ workload: answerNode(asking, workload), containers: count })),
    withheld: hidden,
  };
  // An image is seen by who sees somebody that runs it.
  return { use, isVisible: hidden < users };
}

type CountedAlias = { -readonly [Field in keyof ImageAlias]: ImageAlias[Field] };

function count(aliases: Map<string, CountedAlias>, edge: GraphEdge, isContainer: boolean): void {
  const { reference, registry, repository, tag } = edge.properties;
  if (typeof reference !== "string") return;
  const known = aliases.get(reference);
  const more = isContainer ? 1 : 0;
  if (known !== undefined) known.containers += more;
  else {
    const parts = Object.entries({ registry, repository, tag }).filter(
      ([, value]) => typeof value === "string",
    );
    aliases.set(reference, { reference, containers: more, ...Object.fromEntries(parts) });
  }
}

function podOf(graph: Graph, container: GraphNode): GraphNode {
  for (const edge of graph.in(container)) if (edge.type === "HAS_CONTAINER") return edge.from;
  return container;
}

function references({ aliases }: ImageUse): string[] {
  return aliases.map(({ reference }) => reference);
}

function isWanted(use: ImageUse, text: string): boolean {
  return [use.digest ?? "", ...references(use)].some((name) => name.includes(text));
}

function imageKey(use: ImageUse): string {
  return `${references(use)[0] ?? ""} ${use.digest ?? ""}`;
}
