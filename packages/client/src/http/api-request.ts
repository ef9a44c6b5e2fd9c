export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `/api/v1/clusters/prod`, escaped, without a query. */
  readonly path: string;
  /** What is undefined or false is left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: object | undefined;
  /** What it is for, to read on from "The server …": `the list of clusters`. */
  readonly subject: string;
  readonly signal?: AbortSignal | undefined;
}

/** The path with its query. */
export function addressOf({ path, query = {} }: ApiRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== false) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

/** Whether sending it twice does no more than sending it once. */
export function isRepeatable({ method, headers }: ApiRequest): boolean {
  return method === "GET" || headers?.["idempotency-key"] !== undefined;
}
