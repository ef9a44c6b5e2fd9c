import { isRecord } from "@bowline/core";

import type { Kubesim } from "../../kubesim.ts";
import { readPath } from "../../store/json-value.ts";
import { WatchReader } from "./watch-reader.ts";

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  /** The value at a dotted path of the body. */
  at(path: string): unknown;
}

export interface RequestExtras {
  readonly accept?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A bare HTTP client for tests: no retries, no opinions, so that every test sees exactly what the server said. */
export class ApiClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(sim: Kubesim, options: { readonly token?: string; readonly userAgent?: string } = {}) {
    this.#url = sim.url;
    const token = options.token ?? sim.adminToken;
    this.#headers = {
      "user-agent": options.userAgent ?? "test/1.0",
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    };
  }

  get(path: string, extras?: RequestExtras): Promise<ApiAnswer> {
    return this.send("GET", path, undefined, extras);
  }

  post(path: string, body: unknown, extras?: RequestExtras): Promise<ApiAnswer> {
    return this.send("POST", path, body, extras);
  }

  put(path: string, body: unknown, extras?: RequestExtras): Promise<ApiAnswer> {
    return this.send("PUT", path, body, extras);
  }

  /** `kind` is `merge`, `json`, `strategic` or `apply`. */
  patch(path: string, kind: keyof typeof patchTypes, body: unknown): Promise<ApiAnswer> {
    return this.send("PATCH", path, body, { contentType: patchTypes[kind] });
  }

  delete(path: string, body?: unknown): Promise<ApiAnswer> {
    return this.send("DELETE", path, body);
  }

  async send(method: string, path: string, body?: unknown, extras: RequestExtras = {}): Promise<ApiAnswer> {
    const response = await fetch(this.#url + path, {
      method,
      headers: this.#headersOf(extras),
      ...(body === undefined ? {} : { body: encoded(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    const parsed: unknown = isJson ? JSON.parse(text) : text;
    return {
      status: response.status,
      headers: response.headers,
      body: parsed,
      at: (field) => readPath(parsed, field),
    };
  }

  /** Opens a watch; the caller closes it. */
  async watch(path: string, extras: RequestExtras = {}): Promise<WatchReader> {
    const abort = new AbortController();
    const response = await fetch(this.#url + path, {
      headers: this.#headersOf(extras),
      signal: abort.signal,
    });
    if (!response.body) throw new TypeError(`the watch of ${path} has no body`);
    return new WatchReader(response.status, response.body, () => abort.abort());
  }

  #headersOf(extras: RequestExtras): Record<string, string> {
    return {
      ...this.#headers,
      accept: extras.accept ?? "application/json",
      "content-type": extras.contentType ?? "application/json",
      ...extras.headers,
    };
  }
}

/** Text and bytes are sent as they are, anything else as JSON. */
function encoded(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}

const patchTypes = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/** The names of the items of a list, in order. */
export function itemNames(answer: ApiAnswer): string[] {
  const items = isRecord(answer.body) ? answer.body["items"] : undefined;
  return Array.isArray(items) ? items.map((item) => String(readPath(item, "metadata.name"))) : [];
}
