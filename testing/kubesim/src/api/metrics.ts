import { createHash } from "node:crypto";

import { isRecord } from "@bowline/core";

import { amountOf } from "../controllers/quantity.ts";
import { readPath, readString, type JsonRecord } from "../store/json-value.ts";
import { apiVersionOf } from "../store/resource-type.ts";
import type { SimObject } from "../store/sim-api.ts";
import { methodNotAllowed, notFound } from "../store/status-errors.ts";
import type { ApiRequest } from "./api-request.ts";
import { parseLabelSelector } from "./label-selector.ts";
import { sendJson } from "./respond.ts";

/** As metrics-server measures: every 15 seconds, the mean of about that time. */
const windowMs = 15_000;
/** Of what asks for nothing. */
const plain = { cpuCores: 0.05, memoryBytes: 64 * 1024 * 1024 };
/** Of what runs on a node and is no pod. */
const system = { cpuCores: 0.08, memoryBytes: 400 * 1024 * 1024 };

interface Amount {
  readonly cpuCores: number;
  readonly memoryBytes: number;
}

/** `metrics.k8s.io`: what nodes and pods use, made up from what pods ask for and the time, the same for the same time. */
export function handleMetrics(call: ApiRequest): void {
  const { target, verb, store, place, type } = call;
  if (target.subresource !== undefined || (verb !== "get" && verb !== "list")) throw methodNotAllowed();
  const measuredAtMs = Math.floor(call.clock.now() / windowMs) * windowMs;
  const isOfNodes = type.resource === "nodes";
  const selector = parseLabelSelector(call.query.get("labelSelector") ?? "");
  const objects = isOfNodes ? store.list("nodes") : store.list("pods", target.namespace);
  const items = [...objects]
    .filter(({ metadata }) => target.name === undefined || metadata.name === target.name)
    .filter(({ metadata }) => selector.matches(metadata.labels ?? {}))
    .filter((object) => isOfNodes || readString(object, "status.phase") === "Running")
    .map((object) =>
      isOfNodes
        ? nodeMetrics(object, [...store.list("pods")], measuredAtMs)
        : podMetrics(object, measuredAtMs),
    );
  const apiVersion = apiVersionOf(place);
  if (verb === "list") {
    sendJson(call.response, 200, { kind: type.listKind, apiVersion, metadata: {}, items });
    return;
  }
  const [item] = items;
  if (item === undefined) throw notFound(type, target.name ?? "");
  sendJson(call.response, 200, { kind: type.kind, apiVersion, ...item });
}

function podMetrics(pod: SimObject, atMs: number): JsonRecord {
  const containers = containersOf(pod).map((container) => ({
    name: container["name"],
    usage: usageText(containerUsage(pod, container, atMs)),
  }));
  return { ...measuredPart(pod, atMs), containers };
}

function nodeMetrics(node: SimObject, pods: readonly SimObject[], atMs: number): JsonRecord {
  const used = pods
    .filter((pod) => readString(pod, "spec.nodeName") === node.metadata.name)
    .filter((pod) => readString(pod, "status.phase") === "Running")
    .flatMap((pod) => containersOf(pod).map((container) => containerUsage(pod, container, atMs)));
  return { ...measuredPart(node, atMs), usage: usageText([system, ...used].reduce(sum)) };
}

function measuredPart({ metadata }: SimObject, atMs: number): JsonRecord {
  const { name, namespace, labels } = metadata;
  const timestamp = `${new Date(atMs).toISOString().slice(0, 19)}Z`;
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      creationTimestamp: timestamp,
      ...(labels === undefined ? {} : { labels }),
    },
    timestamp,
    window: "15.03s",
  };
}

function containersOf(pod: SimObject): JsonRecord[] {
  const containers = readPath(pod, "spec.containers");
  return Array.isArray(containers) ? containers.filter(isRecord) : [];
}

/** Around two thirds of what it asks for: CPU goes up and down in minutes, memory in hours, each pod in its own time. */
function containerUsage(pod: SimObject, container: JsonRecord, atMs: number): Amount {
  const asked = (name: string): number => {
    const value = readPath(container, `resources.requests.${name}`);
    return amountOf(typeof value === "string" || typeof value === "number" ? value : undefined);
  };
  const phase = phaseOf(`${pod.metadata.uid}/${String(container["name"])}`);
  const wave = (periodMs: number): number => Math.sin(2 * Math.PI * (atMs / periodMs + phase));
  return {
    cpuCores: (asked("cpu") || plain.cpuCores) * (0.65 + 0.25 * wave(7 * 60_000) + 0.08 * wave(61_000)),
    memoryBytes: (asked("memory") || plain.memoryBytes) * (0.7 + 0.15 * wave(5 * 3_600_000)),
  };
}

/** From 0 up to 1. */
function phaseOf(key: string): number {
  return createHash("sha256").update(key).digest().readUInt32BE() / 2 ** 32;
}

function sum(left: Amount, right: Amount): Amount {
  return {
    cpuCores: left.cpuCores + right.cpuCores,
    memoryBytes: left.memoryBytes + right.memoryBytes,
  };
}

function usageText({ cpuCores, memoryBytes }: Amount): JsonRecord {
  return { cpu: `${Math.round(cpuCores * 1e9)}n`, memory: `${Math.round(memoryBytes / 1024)}Ki` };
}
