import { isRecord, type Clock } from "@bowline/core";
import {
  connect,
  createInformer,
  resources,
  type Informer,
  type KubeObject,
  type Transport,
} from "@bowline/kube";

import { withKnownCluster, type Board } from "./demo-state.ts";

interface FollowClusterOptions {
  readonly name: string;
  readonly server: string;
  readonly caPem: string;
  readonly token: string;
  readonly board: Board;
  readonly clock: Clock;
}

const roundTripEveryMs = 2000;

/** Looks into a cluster through the server and its tunnel, as `kubectl` does: how far it is, and what runs there. */
export class ClusterFollower {
  readonly #options: FollowClusterOptions;
  readonly #transport: Transport;
  readonly #pods: Informer<PodState>;
  readonly #stop = new AbortController();
  readonly #measuring: Promise<void>;

  constructor(options: FollowClusterOptions) {
    const { name, server, caPem, token, clock } = options;
    this.#options = options;
    this.#transport = connect(
      {
        name,
        server: `${server}/clusters/${name}`,
        namespace: "default",
        ca: { pem: caPem },
        insecureSkipVerify: false,
        auth: { type: "token", token },
      },
      { clock, userAgent: "bowline-demo" },
    );
    this.#pods = createInformer({
      transport: this.#transport,
      resource: resources.pods,
      project: podState,
      fields: { status: { phase: true, conditions: { type: true, status: true } } },
      onError: () => {},
      clock,
    });
    const count = (): void => this.#count();
    this.#pods.addHandler({ add: count, update: count, delete: count, synced: count });
    this.#pods.start();
    this.#measuring = this.#measure();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#pods.stop(), this.#measuring]);
    await this.#transport.close();
  }

  #count(): void {
    if (!this.#pods.state().synced) return;
    const pods = this.#pods.list().filter(({ isDone }) => !isDone);
    const ready = pods.filter(({ isReady }) => isReady).length;
    const { board, name } = this.#options;
    board.update((state) => withKnownCluster(state, name, { pods: { ready, total: pods.length } }));
  }

  async #measure(): Promise<void> {
    const { clock, board, name } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const roundTripMs = await this.#roundTripMs(signal);
      board.update((state) => withKnownCluster(state, name, { roundTripMs }));
      await clock.sleep(roundTripEveryMs, signal).catch(() => {});
    }
  }

  /** Undefined while the cluster does not answer, which the board tells otherwise. */
  async #roundTripMs(signal: AbortSignal): Promise<number | undefined> {
    const { clock } = this.#options;
    const beganMs = clock.monotonicMs();
    try {
      const { status, body } = await this.#transport.request({ method: "GET", path: "/version", signal });
      await body.toArray();
      return status === 200 ? clock.monotonicMs() - beganMs : undefined;
    } catch {
      return undefined;
    }
  }
}

interface PodState {
  readonly isReady: boolean;
  readonly isDone: boolean;
}

function podState({ status }: KubeObject): PodState {
  const { phase, conditions }: Readonly<Record<string, unknown>> = isRecord(status) ? status : {};
  const isReady = Array.isArray(conditions) && conditions.some(isReadyCondition);
  return { isReady, isDone: phase === "Succeeded" || phase === "Failed" };
}

function isReadyCondition(condition: unknown): boolean {
  return isRecord(condition) && condition["type"] === "Ready" && condition["status"] === "True";
}
