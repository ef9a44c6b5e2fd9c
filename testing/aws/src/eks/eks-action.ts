import type { ApiCall } from "../api-call.ts";
import { AwsFailure } from "../aws-failure.ts";
import type { Tags } from "../world/shelf.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

interface EksRequest {
  /** What stands in the path, in its order. */
  readonly names: readonly string[];
  readonly body: JsonObject;
  readonly query: URLSearchParams;
}

export interface EksRoute {
  readonly action: string;
  readonly method: string;
  /** Names are `*`. */
  readonly path: string;
  readonly answer: (request: EksRequest, call: ApiCall) => JsonObject;
}

export function textOf(body: JsonObject, name: string): string {
  const value = body[name];
  if (typeof value === "string") return value;
  throw new AwsFailure("InvalidParameterException", `${name} is required`);
}

export function optionalText(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  return typeof value === "string" ? value : undefined;
}

export function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

export function textMap(value: unknown): Tags {
  return Object.fromEntries(Object.entries(objectOf(value)).map(([name, text]) => [name, String(text)]));
}

/** EKS tells times in seconds. */
export function seconds(ms: number): number {
  return ms / 1000;
}
