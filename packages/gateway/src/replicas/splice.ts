import { resetReasonOf, type StreamHandler, type TunnelStream } from "@bowline/protocol";

/**
 * Joins a stream that another replica has opened with the one that is opened for it at the agent: each frame of the one
 * becomes the same frame of the other, and whoever stalls on one side stalls the other. Returns what the first is to tell.
 */
export function splice(
  incoming: TunnelStream,
  open: (answer: StreamHandler) => TunnelStream,
  hasBody: boolean,
): StreamHandler {
  const outgoing = open({
    headers: (head) => incoming.sendHeaders(head),
    data: (chunk) => incoming.write(chunk),
    end: (trailers) => incoming.end(trailers),
    drain: () => incoming.resume(),
    error: (error) => incoming.reset(resetReasonOf(error), error.message),
  });
  return {
    data: (chunk) => outgoing.write(chunk),
    // Without a body, the request was complete when it was opened.
    end: (trailers) => (hasBody ? outgoing.end(trailers) : undefined),
    drain: () => outgoing.resume(),
    error: () => outgoing.reset("cancelled", "Whoever asked is gone."),
  };
}
