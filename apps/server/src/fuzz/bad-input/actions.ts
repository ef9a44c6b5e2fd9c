import type { Role } from "@bowline/api";
import type { Verb } from "@bowline/auth";

import { bodyOf, type Sample } from "../../api/testing/sample-bodies.ts";
import type { Header, WireRequest } from "../wire-request.ts";

/** Something that can be done to the objects of every kind, and a good request to do it. */
export interface Action {
  readonly name: string;
  readonly verb: Verb;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The address behind the plural; `sample` is there, `fresh` is not. */
  readonly path: "" | "/sample" | "/fresh" | "/sample/status";
  readonly query?: readonly Header[];
  readonly body?: (sample: Sample) => object;
}

export const actions: readonly Action[] = [
  { name: "list", verb: "list", method: "GET", path: "" },
  { name: "watch", verb: "watch", method: "GET", path: "", query: [["watch", "true"]] },
  {
    name: "create",
    verb: "create",
    method: "POST",
    path: "",
    body: ({ spec }) => bodyOf("fresh", spec),
  },
  { name: "get", verb: "get", method: "GET", path: "/sample" },
  {
    name: "apply",
    verb: "update",
    method: "PUT",
    path: "/sample",
    body: ({ otherSpec }) => bodyOf("sample", otherSpec),
  },
  {
    name: "apply what is not there",
    verb: "update",
    method: "PUT",
    path: "/fresh",
    body: ({ spec }) => bodyOf("fresh", spec),
  },
  {
    name: "patch",
    verb: "patch",
    method: "PATCH",
    path: "/sample",
    body: ({ otherSpec }) => ({ metadata: {}, spec: otherSpec }),
  },
  { name: "delete", verb: "delete", method: "DELETE", path: "/sample" },
  { name: "get the status", verb: "get", method: "GET", path: "/sample/status" },
  {
    name: "write the status",
    verb: "update-status",
    method: "PUT",
    path: "/sample/status",
    body: () => ({ metadata: {}, status: {} }),
  },
];

/** A request that nothing is wrong with. */
export function goodRequest(sample: Sample, action: Action): WireRequest {
  const { method, path, query = [], body } = action;
  const base = { method, path: `/api/v1/${sample.kind.plural}${path}`, query };
  if (body === undefined) return { ...base, headers: [] };
  return {
    ...base,
    headers: [["Content-Type", "application/json"]],
    body: Buffer.from(JSON.stringify(body(sample))),
  };
}

/** An address that belongs to no kind and needs a token. */
export interface OtherAddress {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The least role that may ask. */
  readonly least: Role;
  /** Whether it has an opinion on what stands behind the question mark. */
  readonly knowsParameters: boolean;
}

export const otherAddresses: readonly OtherAddress[] = [
  { method: "GET", path: "/api/v1/whoami", least: "viewer", knowsParameters: true },
  { method: "POST", path: "/api/v1/login", least: "viewer", knowsParameters: true },
  { method: "POST", path: "/api/v1/tokens/operator-1/revoke", least: "admin", knowsParameters: true },
  { method: "GET", path: "/api/v1/events", least: "viewer", knowsParameters: true },
  { method: "GET", path: "/api/v1/audit", least: "viewer", knowsParameters: true },
  { method: "GET", path: "/metrics", least: "viewer", knowsParameters: false },
];
