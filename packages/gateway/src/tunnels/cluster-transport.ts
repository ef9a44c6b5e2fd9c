import { BowlineError, TransientSet, type Clock } from "@bowline/core";
import type { KubeRequest, KubeResponse, Transport, TransportTarget } from "@bowline/kube";
import type { HeaderList } from "@bowline/protocol";

import type { ClusterTunnels } from "./cluster-tunnels.ts";
import type { TunnelRoute } from "../session/agent-session.ts";
import { cancelledError, ClusterRequest, type ClusterRequestResult } from "./cluster-request.ts";

export interface ClusterTransportOptions {
  readonly tunnels: ClusterTunnels;
  /** Name of the cluster. */
  readonly cluster: string;
  readonly clock: Clock;
  /** Until the head of an answer. The API server itself gives up after 60 s. */
  readonly headersTimeoutMs?: number;
  /** Silence in the middle of an answer that is not a stream. */
  readonly bodyTimeoutMs?: number;
}

export interface SendOptions {
  /** Sent beside those of the request, such as whom to impersonate; the agent adds its own credentials. */
  readonly headers?: HeaderList;
  /** Called once, when nothing more will happen. */
  readonly onOver?: (result: ClusterRequestResult) => void;
}

/** The way to the API server of a cluster through its agent, as that agent, for the server's own client. */
export class ClusterTransport implements Transport {
  /** Tunnels have heartbeats. */
  readonly detectsDeadPeer = true;
  readonly target: TransportTarget;
  readonly #options: ClusterTransportOptions;
  readonly #underWay = new TransientSet<ClusterRequest>();
  #isClosed = false;

  constructor(options: ClusterTransportOptions) {
    this.#options = options;
    this.target = { server: `cluster ${options.cluster}` };
  }

  /** `AgentOffline` when nobody is connected; what happens in the tunnel comes as the error it is told with. */
  request(request: KubeRequest): Promise<KubeResponse> {
    return this.send(request);
  }

  async send(
    request: KubeRequest,
    { headers = [], onOver = () => {} }: SendOptions = {},
  ): Promise<KubeResponse> {
    if (request.signal?.aborted === true) throw cancelledError(request.signal);
    const { clock, headersTimeoutMs = 75_000, bodyTimeoutMs = 60_000 } = this.#options;
    const sent = new ClusterRequest({
      request,
      headers,
      clock,
      headersTimeoutMs,
      bodyTimeoutMs: request.longLived === true ? Infinity : bodyTimeoutMs,
      onOver: (result) => {
        this.#underWay.delete(sent);
        onOver(result);
      },
    });
    this.#underWay.add(sent);
    try {
      this.#requireOpen();
      await this.#send(sent);
      return await sent.response;
    } catch (error) {
      sent.fail(BowlineError.from(error));
      throw error;
    }
  }

  close(): Promise<void> {
    this.#isClosed = true;
    for (const sent of this.#underWay) sent.fail(closedError());
    return Promise.resolve();
  }

  /** A tunnel may go away between being found and being used; nothing was sent then, and there may be another. */
  async #send(sent: ClusterRequest): Promise<void> {
    const first = await this.#route();
    try {
      sent.open(first);
    } catch (error) {
      const { code } = BowlineError.from(error);
      if (code !== "TunnelDraining" && code !== "TunnelLost") throw error;
      sent.open(await this.#route());
    }
  }

  async #route(): Promise<TunnelRoute> {
    const route = await this.#options.tunnels.find(this.#options.cluster);
    this.#requireOpen();
    return route;
  }

  #requireOpen(): void {
    if (this.#isClosed) throw closedError();
  }
}

function closedError(): BowlineError {
  return new BowlineError("Cancelled", "The connection to the cluster has been closed by this program.");
}
