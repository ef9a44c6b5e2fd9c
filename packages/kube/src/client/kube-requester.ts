import { BowlineError } from "@bowline/core";
import { parseJson } from "../json-fields.ts";
import type { KubeRequest, KubeResponse, Transport } from "../transport.ts";
import { notKubernetes, statusError } from "./status-error.ts";

export interface KubeRequesterOptions {
  /** Limit of one answer that is read as a whole: an object or a page. Default 64 MiB. */
  readonly maxBodyBytes?: number;
}

/** A request and what it is for, in words that follow "Could not". */
interface DescribedRequest extends KubeRequest {
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

/** Sends a request whose answer is read as it comes; one that is not for a program, such as a login page, is refused. */
export async function openStream(
  transport: Transport,
  request: Omit<DescribedRequest, "method" | "longLived">,
): Promise<KubeResponse> {
  // Long-lived: who reads the stream keeps its time and tries again, so nobody in between should do either.
  const response = await new KubeRequester(transport).stream({ ...request, method: "GET", longLived: true });
  const type = response.headers["content-type"];
  if (type === undefined || type.includes("json")) return response;
  response.body.destroy();
  throw notKubernetes(response, transport.target);
}

/** Reads a whole body, and stops the server as soon as it sends more than the caller is ready to hold. */
async function readBody(response: KubeResponse, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop early destroys the stream, which cancels the request.
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new BowlineError(
        "ResponseTooLarge",
        `The API server sent more than ${maxBytes} bytes in one answer; ask for smaller pages or raise maxBodyBytes.`,
        { details: { maxBytes } },
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
