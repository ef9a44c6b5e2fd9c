import { BowlineError } from "@bowline/core";
import {
  graphKinds,
  nodeKind,
  parseNodeKey,
  sharedKinds,
  type Asking,
  type GraphNode,
  type NodeRef,
} from "@bowline/graph";

/**
 * The node that somebody means; undefined when there is none that they may see. `InvalidArgument` when there are several.
 */
export function nodeNamed(asking: Asking, text: string, parameter: string): GraphNode | undefined {
  const { graph, canSee } = asking;
  const ref = refNamed(text, parameter);
  if (sharedKinds.has(ref.kind)) return graph.find(undefined, ref) ?? imageNamed(asking, ref, parameter);
  const found = graph.clusters.flatMap((cluster) => {
    const node = canSee(cluster, ref.namespace, ref.kind) ? graph.find(cluster, ref) : undefined;
    return node === undefined ? [] : [{ cluster, node }];
  });
  if (found.length > 1) {
    const names = found.map(({ cluster }) => cluster).join(", ");
    throw new BowlineError(
      "InvalidArgument",
      `There is a ${text} in several clusters: ${names}. Name one of them: --cluster, or the parameter cluster.`,
    );
  }
  return found[0]?.node;
}

/** Kinds as nodes have them, by what people type. */
const kindNames = new Map(
  [...graphKinds.map(({ group, kind }) => nodeKind(group, kind)), ...sharedKinds, "Container", "Volume"].map(
    (kind) => [kind.toLowerCase(), kind],
  ),
);

function refNamed(text: string, parameter: string): NodeRef {
  const ref = parseNodeKey(text);
  if (ref !== undefined) return { ...ref, kind: kindNames.get(ref.kind.toLowerCase()) ?? ref.kind };
  throw new BowlineError(
    "InvalidArgument",
    `The parameter ${parameter} must be KIND/NAMESPACE/NAME, such as Secret/shop/db or Node//worker-1.`,
  );
}

/** A kind as nodes have it, however it is typed. */
export function kindNamed(text: string): string {
  return kindNames.get(text.toLowerCase()) ?? text;
}

/** Images are told apart by digest, and asked about by the reference that is in a manifest. */
function imageNamed({ graph }: Asking, { kind, name }: NodeRef, parameter: string): GraphNode | undefined {
  if (kind !== "ContainerImage") return undefined;
  const wanted = name.replace(/^ref:/u, "");
  const isReference = (reference: unknown): boolean =>
    typeof reference === "string" && (reference === wanted || reference.endsWith(`/${wanted}`));
  const found = [...graph.nodes(kind)].filter((image) =>
    graph.propertiesInto(image, wanted.toLowerCase()).some(({ reference }) => isReference(reference)),
  );
  const digests = found.filter((image) => !graph.name(image).startsWith("ref:"));
  if (digests.length <= 1) return digests[0] ?? found[0];
  const names = digests.slice(0, namesTold).map((image) => graph.name(image));
  throw new BowlineError(
    "InvalidArgument",
    `There are ${digests.length} images of the reference ${wanted}, such as ${names.join(", ")}. Name one of them in the parameter ${parameter}: ${kind}//DIGEST.`,
  );
}

const namesTold = 5;
