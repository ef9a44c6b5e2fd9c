import { readFailure } from "../live/failure.ts";
import { RequestFailed } from "../live/request.ts";
import { logPath, type LogSelection, type PodPlace } from "./pod-paths.ts";

/**
 * The whole log of a container, as it comes; not what is on the page, which has an end. By a request of its own, since a
 * link into a cluster would not carry the session.
 */
export async function openLogDownload(
  place: PodPlace,
  selection: Pick<LogSelection, "previous" | "sinceSeconds" | "sinceTime">,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const response = await fetch(logPath(place, selection), {
    headers: { "x-bowline-console": "1" },
    credentials: "same-origin",
    redirect: "error",
    signal,
  });
  if (response.ok && response.body !== null) return response.body;
  const text = await response.text();
  throw new RequestFailed(readFailure(response.status, text, Object.fromEntries(response.headers)));
}
