import type { RequestHead } from "../tunnel/frame.ts";
import type { TunnelConnectionOptions } from "../tunnel/tunnel-connection-options.ts";
import type { TunnelStream } from "../tunnel/tunnel-stream.ts";
import { ManualLink } from "./manual-link.ts";
import { RecordingHandler } from "./recording-handler.ts";

export interface AcceptedStream {
  readonly stream: TunnelStream;
  readonly head: RequestHead;
  readonly hasBody: boolean;
  readonly handler: RecordingHandler;
}

/** Both ends of one stream. */
export interface StreamPair extends AcceptedStream {
  readonly request: TunnelStream;
  readonly answer: RecordingHandler;
}

type SideOptions = Omit<TunnelConnectionOptions, "clock" | "accept" | "defer">;

/** A link whose agent accepts every stream and does nothing with it but to write down what happens. */
export class TunnelFixture {
  readonly accepted: AcceptedStream[] = [];
  readonly link: ManualLink;

  constructor({ server = {}, agent = {} }: { server?: SideOptions; agent?: SideOptions } = {}) {
    this.link = new ManualLink(server, {
      ...agent,
      accept: (stream, head, hasBody) => {
        const handler = new RecordingHandler();
        this.accepted.push({ stream, head, hasBody, handler });
        return handler;
      },
    });
  }

  open(head: Partial<RequestHead> = {}, hasBody = false): StreamPair {
    const answer = new RecordingHandler();
    const request = this.link.server.open({ method: "GET", path: "/", headers: [], ...head }, answer, {
      hasBody,
    });
    this.link.settle();
    const accepted = this.accepted.at(-1);
    if (accepted === undefined) throw new Error("The agent did not accept the stream.");
    return { ...accepted, request, answer };
  }
}
