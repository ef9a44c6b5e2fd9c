import { BowlineError } from "@bowline/core";
import type { KubeRequest, KubeResponse, Transport } from "../transport.ts";
import { parseJson, readBody } from "./response-body.ts";
import { notKubernetes, statusError } from "./status-error.ts";

export interface KubeRequesterOptions {
  /** Limit of one answer that is read as a whole: an object or a page. Default 64 MiB. */
  readonly maxBodyBytes?: number;
}

/** A request and what it is for, in words that follow "Could not". */
export interface DescribedRequest extends KubeRequest {
  readonly action: string;
}

/** An error answer is a sentence; one that is larger is not worth reading further. */
const maxErrorBytes = 1024 * 1024;

/** Sends requests over a transport and gives back either what was asked for or one clear error. */
export class KubeRequester {
  readonly transport: Transport;
  readonly #maxBodyBytes: number;

  constructor(transport: Transport, options: KubeRequesterOptions = {}) {
    this.transport = transport;
    this.#maxBodyBytes = options.maxBodyBytes ?? 64 * 1024 * 1024;
  }

  /** The answer as a stream, once its status says success. The caller reads the body to its end or destroys it. */
  async stream({ action, ...request }: DescribedRequest): Promise<KubeResponse> {
    const response = await this.transport.request(request);
    if (response.status < 300) return response;
    const body = await readBody(response, maxErrorBytes);
    throw statusError({ ...response, body }, { action, target: this.transport.target });
  }

  /** The answer parsed as a JSON object. Its shape is what the API promises for the path, and is not checked here. */
  async json<T extends object>(request: DescribedRequest): Promise<T> {
    const { action, headers, ...rest } = request;
    const response = await this.stream({
      action,
      ...rest,
      headers: { accept: "application/json", ...headers },
    });
    const body = await readBody(response, this.#maxBodyBytes);
    const parsed = parseJson(body);
    if (parsed === undefined && /json/.test(response.headers["content-type"] ?? "")) {
      throw new BowlineError("ResponseInvalid", `Could not ${action}: the answer is not valid JSON.`);
    }
    if (parsed === undefined || typeof parsed.value !== "object" || parsed.value === null) {
      throw notKubernetes(response, this.transport.target);
    }
    return parsed.value as T;
  }
}
