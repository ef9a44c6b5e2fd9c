import { Readable } from "node:stream";
import { BowlineError } from "@bowline/core";
import type { KubeEvent } from "../events/kube-event.ts";
import type { Lease } from "../lease/lease-record.ts";
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

/** One Lease, stored as an API server would: created once, and changed only by who knows its version. */
export class LeaseApi {
  lease: Lease | undefined;
  writes = 0;
  #version = 0;

  /** The way of one participant, which can be cut without the others noticing. */
  connect(): LeaseConnection {
    return new LeaseConnection(this);
  }

  answer({ method, body }: KubeRequest): { readonly status: number; readonly value: unknown } {
    if (method === "GET") return this.lease === undefined ? failed(404, "NotFound") : ok(this.lease);
    const written = JSON.parse(String(body)) as Lease;
    if (method === "POST" && this.lease !== undefined) return failed(409, "AlreadyExists");
    if (method === "PUT" && this.lease === undefined) return failed(404, "NotFound");
    if (method === "PUT" && written.metadata.resourceVersion !== String(this.#version))
      return failed(409, "Conflict");
    this.writes++;
    this.#version++;
    this.lease = { ...written, metadata: { ...written.metadata, resourceVersion: String(this.#version) } };
    return ok(this.lease);
  }
}

/** - `open`: works. - `cut`: fails at once. - `deaf`: the request arrives, the answer never does. - `mute`: neither. */
type LeaseConnectionState = "open" | "cut" | "deaf" | "mute";

export class LeaseConnection implements Transport {
  readonly detectsDeadPeer = false;
  state: LeaseConnectionState = "open";
  readonly #api: LeaseApi;

  constructor(api: LeaseApi) {
    this.#api = api;
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    await Promise.resolve();
    if (this.state === "cut") throw new BowlineError("ConnectionFailed", "The connection is cut.");
    if (this.state === "mute") return aborted(request.signal);
    const { status, value } = this.#api.answer(request);
    if (this.state === "deaf") return aborted(request.signal);
    return answer(status, value);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function answer(status: number, value: unknown, retryAfter?: string): KubeResponse {
  const headers = {
    "content-type": "application/json",
    ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
  };
  return { status, headers, body: Readable.from([Buffer.from(JSON.stringify(value))]) };
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (): void => reject(new BowlineError("Timeout", "No answer came."));
    if (signal?.aborted === true) fail();
    signal?.addEventListener("abort", fail, { once: true });
  });
}

function ok(value: unknown): { readonly status: number; readonly value: unknown } {
  return { status: 200, value };
}

function failed(code: number, reason: string): { readonly status: number; readonly value: unknown } {
  return { status: code, value: { kind: "Status", status: "Failure", code, reason, message: reason } };
}
