import type { Credential, Credentials } from "../config/credentials.ts";
import type { KubeRequest, KubeResponse, Transport, TransportTarget } from "../transport.ts";
import { unlessCancelled } from "./cancellation.ts";

/** Adds the credentials to every request, and tries once more with new ones when the server refuses them. */
export class AuthenticatedTransport implements Transport {
  readonly detectsDeadPeer: boolean;
  readonly target: TransportTarget | undefined;
  readonly #inner: Transport;
  readonly #credentials: Credentials;

  constructor(inner: Transport, credentials: Credentials) {
    this.#inner = inner;
    this.#credentials = credentials;
    this.detectsDeadPeer = inner.detectsDeadPeer;
    this.target = inner.target;
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    const credential = await unlessCancelled(this.#credentials.current(), request.signal);
    const response = await this.#inner.request(withCredential(request, credential));
    if (response.status !== 401) return response;
    const replacement = await this.#replace(credential, request, response);
    return replacement === undefined ? response : this.#inner.request(withCredential(request, replacement));
  }

  async #replace(
    used: Credential,
    request: KubeRequest,
    refusal: KubeResponse,
  ): Promise<Credential | undefined> {
    try {
      const replacement = await unlessCancelled(this.#credentials.replace(used), request.signal);
      if (replacement !== undefined) refusal.body.destroy();
      return replacement;
    } catch (error) {
      refusal.body.destroy();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#credentials.close();
    await this.#inner.close();
  }
}

function withCredential(request: KubeRequest, { authorization }: Credential): KubeRequest {
  if (authorization === undefined) return request;
  return { ...request, headers: { ...request.headers, authorization } };
}
