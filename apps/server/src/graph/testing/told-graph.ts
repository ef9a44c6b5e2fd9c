import { Cluster } from "@bowline/api";
import { encodeFacts, factsDigest, type NodeRef, type ObjectFacts } from "@bowline/graph";
import type { Store } from "@bowline/store";
import { cluster, openTestStore } from "@bowline/store/testing";

export interface ToldGraph {
  readonly store: Store;
  readonly clusterId: string;
  /** As the agent of the cluster does; a text is the uid of an object that is gone. */
  readonly tell: (items: readonly (ObjectFacts | string)[]) => Promise<void>;
}

/** A store with one cluster, whose agent tells what its objects say. */
export async function toldGraph(name: string): Promise<ToldGraph> {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const { object } = await store.objects.create(Cluster, cluster(name));
  const key = { clusterId: object.metadata.id, epoch: 1, instance: "pod-1" };
  await store.graph.begin(key);
  let sequence = 0;
  return {
    store,
    clusterId: key.clusterId,
    async tell(items) {
      sequence += 1;
      await store.graph.store({ key, sequence, items: items.map(itemOf) });
    },
  };
}

/** A pod that reads Secrets. */
export function pod(name: string, secrets: readonly string[] = []): ObjectFacts {
  const node = (kind: string, of: string): NodeRef => ({ kind, namespace: "shop", name: of });
  return {
    node: node("Pod", name),
    uid: `uid-of-${name}`,
    properties: { phase: "Running" },
    parts: [],
    edges: secrets.map((secret, index) => {
      return {
        type: "USES_SECRET",
        from: 0,
        to: node("Secret", secret),
        at: `/spec/volumes/${index}/secret`,
      };
    }),
    selections: [],
  };
}

function itemOf(
  item: ObjectFacts | string,
  index: number,
): Parameters<Store["graph"]["store"]>[0]["items"][0] {
  if (typeof item === "string") return { index, type: "gone", uid: item };
  const facts = encodeFacts(item);
  const digest = factsDigest(facts).toString("hex");
  const object = { ...item.node, group: "", uid: item.uid, digest, facts };
  return { index, type: "facts", object, observedAtMs: 1 };
}
