import { BowlineError } from "@bowline/core";
import type { KubeRequest, KubeResponse, Transport } from "@bowline/kube";

/** Where the way to the cluster breaks, for good: before a request is sent, or after its answer was made. */
export interface Cut {
  readonly request: number;
  readonly when: "before" | "after";
}

type Answer = (request: KubeRequest) => Promise<KubeResponse> | undefined;

/** Counts requests, breaks where it is told to, and can answer in the cluster's place. */
export class RecordingTransport implements Transport {
  readonly requests: string[] = [];
  readonly detectsDeadPeer = true;
  cut: Cut | undefined;
  /** Asked first; undefined lets the request through. */
  answer: Answer | undefined;
  readonly #inner: Transport;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    const number = this.requests.push(`${request.method} ${request.path}`);
    const { cut } = this;
    if (cut !== undefined && (number > cut.request || (number === cut.request && cut.when === "before"))) {
      throw offline();
    }
    const answered = this.answer?.(request);
    const response = await (answered ?? this.#inner.request(request));
    if (cut?.request !== number) return response;
    // Its effect is there, and nobody hears of it.
    for await (const _ of response.body) void _;
    throw offline();
  }

  /** Requests that were made since the last call. */
  take(): string[] {
    return this.requests.splice(0);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

function offline(): BowlineError {
  return new BowlineError("AgentOffline", "No agent of the cluster is connected.");
}
