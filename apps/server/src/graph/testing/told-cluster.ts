import { Cluster } from "@bowline/api";
import { encodeFacts, factsDigest, type ObjectFacts } from "@bowline/graph";
import type { Coverage, GraphItem, Store } from "@bowline/store";
import { cluster } from "@bowline/store/testing";

/** An object that has nothing to say but edges. */
export function factsOf(
  kind: string,
  uid: string,
  more: Partial<Pick<ObjectFacts, "edges" | "parts" | "properties" | "rules">> & {
    readonly name?: string;
  } = {},
): ObjectFacts {
  const { name = `name-of-${uid}`, edges = [], parts = [], properties = {}, rules } = more;
  return { node: { kind, namespace: "shop", name }, uid, properties, parts, edges, selections: [], rules };
}

/** A Pod that reads a Secret. */
export function readingPod(uid: string, secret: string): ObjectFacts {
  const to = { kind: "Secret", namespace: "shop", name: secret };
  const at = "/spec/containers/0/envFrom/0/secretRef";
  return factsOf("Pod", uid, { edges: [{ type: "USES_SECRET", from: 0, to, at }] });
}

type Told = ObjectFacts | { readonly gone: string } | Coverage;

/** A cluster whose objects are told of as an agent does. */
export class ToldCluster {
  readonly clusterId: string;
  readonly #store: Store;
  #epoch = 1;
  #sequence = 0;

  private constructor(store: Store, clusterId: string) {
    this.#store = store;
    this.clusterId = clusterId;
  }

  static async create(store: Store, name: string): Promise<ToldCluster> {
    const { object } = await store.objects.create(Cluster, cluster(name));
    const told = new ToldCluster(store, object.metadata.id);
    await store.graph.begin(told.#key);
    return told;
  }

  /** Sends a batch. What objects say was observed at a time, now if it is missing. */
  async tell(parts: readonly Told[], observedAtMs = Number.MAX_SAFE_INTEGER): Promise<void> {
    const items = parts.map((part, index): GraphItem => {
      if ("gone" in part) return { index, type: "gone", uid: part.gone };
      return "node" in part
        ? { index, type: "facts", object: objectOf(part), observedAtMs }
        : { index, type: "coverage", coverage: part };
    });
    await this.#batch(items);
  }

  /** Sends the numbers of views, by their names. */
  async tellViews(views: Readonly<Record<string, Readonly<Record<string, number>>>>): Promise<void> {
    const items = Object.entries(views).map(([name, numbers], index): GraphItem => {
      return { index, type: "view", name, content: JSON.stringify(numbers) };
    });
    await this.#batch(items);
  }

  /** Begins the next epoch, as an agent that was started again. */
  async restart(): Promise<void> {
    this.#epoch += 1;
    this.#sequence = 0;
    await this.#store.graph.begin(this.#key);
  }

  /** Everything that there is has been told. */
  async complete(): Promise<void> {
    this.#sequence += 1;
    await this.#store.graph.complete(this.#key, this.#sequence);
  }

  async #batch(items: readonly GraphItem[]): Promise<void> {
    this.#sequence += 1;
    await this.#store.graph.store({ key: this.#key, sequence: this.#sequence, items });
  }

  get #key() {
    return { clusterId: this.clusterId, epoch: this.#epoch, instance: "pod-1" };
  }
}

function objectOf(object: ObjectFacts) {
  const facts = encodeFacts(object);
  const { kind, namespace, name } = object.node;
  const digest = factsDigest(facts).toString("hex");
  return { uid: object.uid, group: "", kind, namespace, name, digest, facts };
}
