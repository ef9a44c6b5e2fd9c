import { Readable } from "node:stream";
import { BowlineError } from "@bowline/core";
import type { KubeEvent } from "../events/kube-event.ts";
import type { KubeRequest, KubeResponse, Transport } from "../transport.ts";
import { AsyncQueue } from "./async-queue.ts";

/** Stores Events as an API server would, and answers with failures when told to. */
export class EventApi implements Transport {
  readonly detectsDeadPeer = false;
  readonly events = new Map<string, KubeEvent>();
  /** Every request, `POST` or `PATCH`, as it arrives. */
  readonly requests = new AsyncQueue<string>();
  /** Answers to give before it works again: a status with its Retry-After, a cut connection, or none at all. */
  readonly failures: ({ readonly status: number; readonly retryAfter?: string } | "cut" | "silence")[] = [];

  async request({ method, path, body, signal }: KubeRequest): Promise<KubeResponse> {
    await Promise.resolve();
    this.requests.push(method);
    const failure = this.failures.shift();
    if (failure === "cut") throw new BowlineError("ConnectionFailed", "The connection is cut.");
    if (failure === "silence") return aborted(signal);
    if (failure !== undefined) return answer(failure.status, { kind: "Status" }, failure.retryAfter);
    const sent = JSON.parse(String(body)) as KubeEvent;
    const name = method === "POST" ? sent.metadata.name : decodeURIComponent(path.split("/").at(-1) ?? "");
    const stored = this.events.get(name ?? "");
    if (method === "PATCH" && stored === undefined)
      return answer(404, { kind: "Status", reason: "NotFound" });
    const event = { ...stored, ...sent };
    this.events.set(name ?? "", event);
    return answer(200, event);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(new BowlineError("Timeout", "No answer came.")), {
      once: true,
    });
  });
}

function answer(status: number, value: unknown, retryAfter?: string): KubeResponse {
  const headers = {
    "content-type": "application/json",
    ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
  };
  return { status, headers, body: Readable.from([Buffer.from(JSON.stringify(value))]) };
}
