import type { IncomingMessage, ServerResponse } from "node:http";

import type { Clock } from "@bowline/core";

import type { UserInfo } from "../auth/user-info.ts";
import type { ClusterStore } from "../store/cluster-store.ts";
import type { GroupVersion, ResourceType } from "../store/resource-type.ts";
import type { SimObject } from "../store/sim-api.ts";
import type { ResourceTarget } from "./request-info.ts";
import type { SocketUpgrade } from "./socket-upgrade.ts";
import type { WatchRegistry } from "./watch-registry.ts";

/** What every handler may use of the server. */
export interface ApiContext {
  readonly store: ClusterStore;
  readonly clock: Clock;
  readonly watches: WatchRegistry;
  readonly settings: ApiSettings;
}

export interface ApiSettings {
  /** How often a quiet watch says how far it has come. */
  readonly bookmarkIntervalMs: number;
  /** How many events may wait for a slow reader before its watch is cut. */
  readonly watchQueueLimit: number;
  /** From 0 up to 1; spreads the time limits of watches that name none. */
  readonly random: () => number;
}

/** One request for a resource, routed and authorized. */
export interface ApiRequest extends ApiContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Set where the client asks for a WebSocket. */
  readonly upgrade?: SocketUpgrade;
  readonly query: URLSearchParams;
  readonly verb: string;
  readonly target: ResourceTarget;
  readonly type: ResourceType;
  /** The group and version the client spoke of, which is not always the one objects are stored in. */
  readonly place: GroupVersion;
  readonly user: UserInfo;
  /** Refuses objects that the user may not write, whatever the rules of the kind say. */
  readonly admit?: (object: SimObject) => void;
}

/** Where an object of this request lives; objects at cluster scope have no namespace. */
export function namespaceOf(call: ApiRequest): string | undefined {
  return call.type.namespaced ? call.target.namespace : undefined;
}

export function isDryRun(call: ApiRequest): boolean {
  return call.query.getAll("dryRun").includes("All");
}

const longestManagerName = 128;

/** Who a write is recorded under: the name the client gives, or the first word of its user agent. */
export function fieldManager(call: ApiRequest): string {
  const named = call.query.get("fieldManager");
  if (named) return named;
  const [program = ""] = (call.request.headers["user-agent"] ?? "").split("/");
  return program.trim() === "" ? "unknown" : program.trim().slice(0, longestManagerName);
}
