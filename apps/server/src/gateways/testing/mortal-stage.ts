import type { RequestHead } from "@bowline/protocol";

import type { WorkloadHarness } from "../../workloads/testing/workload-harness.ts";
import { DyingProcess, type Moment } from "./dying-process.ts";
import { ServiceStage, type ServiceCluster } from "./service-stage.ts";

/** What a cluster has of services, of entries, and of what Bowline knows about them. */
const madeTypes = [
  "namespaces",
  "secrets",
  "deployments.apps",
  "gatewayclasses.gateway.networking.k8s.io",
  "gateways.gateway.networking.k8s.io",
  "httproutes.gateway.networking.k8s.io",
  "certificates.cert-manager.io",
  "clusterissuers.cert-manager.io",
  "workloads.bowline.dev",
];

/** A request to a cluster, and how many of the same came before it. */
export interface AskedOfCluster {
  readonly what: string;
  readonly nth: number;
}

/** The server with all of its controllers, or the agent that makes its requests in the cluster. */
export type Mortal = "server" | "agent";

/** A cluster `edge` that may have services, and servers and agents that die at a request to it. */
export class MortalStage {
  readonly stage: ServiceStage;
  readonly cluster: ServiceCluster;

  static async open(): Promise<MortalStage> {
    const stage = await ServiceStage.open();
    const cluster = await stage.addCluster("edge");
    await stage.harness.workloads.place(["edge"]);
    return new MortalStage(stage, cluster);
  }

  private constructor(stage: ServiceStage, cluster: ServiceCluster) {
    this.stage = stage;
    this.cluster = cluster;
  }

  get #workloads(): WorkloadHarness {
    return this.stage.harness.workloads;
  }

  /** Everything that is asked of the cluster for a deed when nobody dies. */
  async requestsOf(deed: () => Promise<void>): Promise<AskedOfCluster[]> {
    const asked: AskedOfCluster[] = [];
    this.#workloads.atAgents = (accept) => (stream, head, hasBody) => {
      const what = nameOf(head);
      asked.push({ what, nth: asked.filter((each) => each.what === what).length });
      return accept(stream, head, hasBody);
    };
    await this.#restart();
    await deed();
    return asked;
  }

  /**
   * At the request one dies, and so does the next one at its first of the same, each at its moment; the one after them goes
   * on. Resolves to how many have died when the deed is done: it may be asked less often than before.
   */
  async dyingAt(
    { who, what, nth }: AskedOfCluster & { readonly who: Mortal },
    moments: readonly Moment[],
    deed: () => Promise<void>,
  ): Promise<number> {
    const lives = moments.map((moment, index) => new DyingProcess(index === 0 ? nth : 0, moment));
    let begun = Promise.resolve();
    const begin = async (at: number): Promise<void> => {
      const dying = lives[at];
      this.#workloads.atAgents = (accept) =>
        dying === undefined ? accept : dying.asking(accept, (head) => nameOf(head) === what);
      await (at > 0 && who === "agent"
        ? this.#reconnect()
        : this.#restart(who === "server" ? dying : undefined));
      void dying?.death.then(() => (begun = begin(at + 1)));
    };
    await begin(0);
    try {
      await deed();
    } catch (cause) {
      throw new Error(`The ${who} died ${moments.join(", and then ")} ${what}.`, { cause });
    }
    await begun;
    return lives.filter(({ hasDied }) => hasDied).length;
  }

  async #restart(dying?: DyingProcess): Promise<void> {
    const workloads = this.#workloads;
    workloads.cut("edge");
    await workloads.stop();
    await workloads.start(dying === undefined ? {} : { store: dying.using(workloads.store), logged: [] });
    await workloads.connect("edge");
  }

  async #reconnect(): Promise<void> {
    await this.#workloads.disconnect("edge");
    await this.#workloads.connect("edge");
  }

  /** Everything of that kind, `TYPE NAMESPACE/NAME`. */
  made(): string[] {
    const { api } = this.cluster.sim;
    const isServed = (type: string): boolean => {
      const [, group] = /\.(.*)$/u.exec(type) ?? [];
      return (
        group === undefined ||
        group === "apps" ||
        api.get("customresourcedefinitions.apiextensions.k8s.io", undefined, type) !== undefined
      );
    };
    return madeTypes
      .filter(isServed)
      .flatMap((type) =>
        [...api.list(type)].map(({ metadata: { namespace = "", name } }) => `${type} ${namespace}/${name}`),
      )
      .toSorted();
  }
}

function nameOf({ method, path }: RequestHead): string {
  return `${method} ${path.replace(/\?.*$/u, "")}`;
}
