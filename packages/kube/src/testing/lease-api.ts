import { Readable } from "node:stream";
import { BowlineError } from "@bowline/core";
import type { KubeRequest, KubeResponse, Transport } from "../transport.ts";
import type { Lease } from "../lease/lease-record.ts";

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
    const headers = { "content-type": "application/json" };
    return { status, headers, body: Readable.from([Buffer.from(JSON.stringify(value))]) };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
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
