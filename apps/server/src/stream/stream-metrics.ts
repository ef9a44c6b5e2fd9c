import type { Metrics } from "@bowline/core";

/** Counts what streams carry. */
export interface StreamMeter {
  /** Counts a connection until the function it returns is called. */
  connected(): () => void;
  /** The same for a subscription. */
  subscribed(): () => void;
  sent(bytes: number): void;
}

export class StreamMetrics implements StreamMeter {
  #sockets = 0;
  #subscriptions = 0;
  /** Bytes since they were last read: counting is too dear to be done for every message. */
  #bytes = 0;

  constructor(metrics: Metrics) {
    // The first to be registered is the first to be read: it hands over what the counter has to say.
    metrics.gauge({
      name: "bowline_stream_sockets",
      help: "WebSockets that are open at /api/v1/stream.",
      collect: (gauge) => {
        gauge.set(this.#sockets);
        sent.inc(this.#bytes);
        this.#bytes = 0;
      },
    });
    metrics.gauge({
      name: "bowline_stream_subscriptions",
      help: "Requests under way on the WebSockets of /api/v1/stream.",
      collect: (gauge) => gauge.set(this.#subscriptions),
    });
    const sent = metrics.counter({
      name: "bowline_stream_sent_bytes_total",
      help: "Bytes of answers sent over the WebSockets of /api/v1/stream.",
    });
  }

  connected(): () => void {
    this.#sockets += 1;
    return () => void (this.#sockets -= 1);
  }

  subscribed(): () => void {
    this.#subscriptions += 1;
    return () => void (this.#subscriptions -= 1);
  }

  sent(bytes: number): void {
    this.#bytes += bytes;
  }
}
