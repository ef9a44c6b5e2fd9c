import type { MessageInitShape } from "@bufbuild/protobuf";
import { ManualClock } from "@bowline/core/testing";

import type { FrameSchema } from "../gen/bowline/agent/v1/tunnel_pb.ts";
import { FrameDecoder } from "../tunnel/frame-decoder.ts";
import { TunnelConnection } from "../tunnel/tunnel-connection.ts";
import type { TunnelConnectionOptions } from "../tunnel/tunnel-connection-options.ts";
import { frameBytes } from "./frame-bytes.ts";
import { ManualChannel } from "./manual-link.ts";
import { RecordingSink, type SinkEvent } from "./recording-sink.ts";

/** A peer that keeps to no rule: it sends whatever frames or bytes the test wants to a real tunnel. */
export class RawPeer {
  readonly clock = new ManualClock();
  readonly tunnel: TunnelConnection;
  readonly #channel = new ManualChannel();
  readonly #sink = new RecordingSink();
  readonly #deferred: Array<() => void> = [];

  constructor(options: Omit<TunnelConnectionOptions, "clock" | "defer">) {
    const mine = new ManualChannel();
    this.#channel.peer = mine;
    const decoder = new FrameDecoder(this.#sink);
    mine.start({ data: (chunk) => decoder.push(chunk), closed: () => {} });
    this.tunnel = new TunnelConnection(this.#channel, {
      ...options,
      clock: this.clock,
      defer: (run) => void this.#deferred.push(run),
    });
  }

  send(...frames: Array<MessageInitShape<typeof FrameSchema>>): void {
    this.sendBytes(Buffer.concat(frames.map(frameBytes)));
  }

  sendBytes(bytes: Buffer): void {
    this.#channel.inject(bytes);
  }

  /** Takes what the tunnel has sent so far, but for the pings it sends of its own. */
  read(): SinkEvent[] {
    for (const run of this.#deferred.splice(0)) run();
    while (this.#channel.deliver());
    return this.#sink.events.splice(0).filter(({ kind }) => kind !== "ping");
  }
}
