import { isRecord } from "@bowline/core";

import {
  readNumber,
  readPath,
  readRecord,
  readString,
  withPath,
  type JsonRecord,
} from "../store/json-value.ts";
import { invalidValue } from "../store/object-meta.ts";
import type { SimObject } from "../store/sim-api.ts";
import { badRequest, conflict, invalid, methodNotAllowed } from "../store/status-errors.ts";
import { isDryRun, namespaceOf, type ApiRequest } from "./api-request.ts";
import { readDeleteOptions } from "./delete.ts";
import { admitEviction, checkEviction } from "./eviction.ts";
import { labelSelectorText } from "./label-selector.ts";
import { writeOptions } from "./object-verbs.ts";
import { applyPatch } from "./patch.ts";
import { mediaType, parseJsonValue, parseObject, readBody } from "./request-body.ts";
import { sendJson } from "./respond.ts";

/** `scale`: the replicas of a workload, without the rest of it. */
export async function handleScale(call: ApiRequest): Promise<void> {
  const paths = call.type.scale;
  if (!paths) throw methodNotAllowed();
  const live = call.store.live(call.type, namespaceOf(call), call.target.name ?? "");
  if (call.verb === "get") {
    sendJson(call.response, 200, scaleOf(call, live));
    return;
  }
  const body = await readBody(call.request);
  const asked =
    call.verb === "patch"
      ? applyPatch(call, mediaType(call.request), { live: scaleOf(call, live), patch: parseJsonValue(body) })
      : parseObject(body, mediaType(call.request));
  const replicas = readNumber(asked, "spec.replicas") ?? 0;
  if (replicas < 0) {
    throw invalid({ group: "autoscaling", kind: "Scale" }, live.metadata.name, [
      invalidValue("spec.replicas", replicas, "must be greater than or equal to 0"),
    ]);
  }
  const version = readString(asked, "metadata.resourceVersion");
  const desired: SimObject = {
    ...live,
    ...withPath(live, paths.specReplicas, replicas),
    metadata: version ? { ...live.metadata, resourceVersion: version } : live.metadata,
  };
  const { subresource: _scale, ...options } = writeOptions(call);
  sendJson(call.response, 200, scaleOf(call, call.store.updateObject(call.type, desired, options)));
}

function scaleOf(call: ApiRequest, object: SimObject): JsonRecord {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const paths = call.type.scale;
  const selector = paths?.selector === undefined ? undefined : readPath(object, paths.selector);
  const text =
    typeof selector === "string" ? selector : isRecord(selector) ? selectorText(selector) : undefined;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: paths ? (readNumber(object, paths.specReplicas) ?? 0) : 0 },
    status: {
      replicas: paths ? (readNumber(object, paths.statusReplicas) ?? 0) : 0,
      ...(text === undefined ? {} : { selector: text }),
    },
  };
}

function selectorText(selector: JsonRecord): string {
  const structured = "matchLabels" in selector || "matchExpressions" in selector;
  return labelSelectorText(structured ? selector : { matchLabels: selector });
}

/** `binding`: puts a pod onto a node, once. */
export async function handleBinding(call: ApiRequest): Promise<void> {
  const body = parseObject(await readBody(call.request), mediaType(call.request));
  const node = readString(body, "target.name");
  if (!node) throw badRequest("target.name must be set");
  const name = call.target.name ?? readString(body, "metadata.name") ?? "";
  const pods = call.store.type("pods");
  const pod = call.store.live(pods, call.target.namespace, name);
  const bound = readString(pod, "spec.nodeName");
  if (bound) throw conflict(pods, name, `pod ${name} is already assigned to node "${bound}"`);
  if (pod.metadata.deletionTimestamp !== undefined)
    throw conflict(pods, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  const placed: SimObject = { ...pod, spec: { ...readRecord(pod, "spec"), nodeName: node } };
  const options = { subresource: "binding", dryRun: isDryRun(call) };
  const stored = call.store.updateObject(pods, placed, options);
  if (!isDryRun(call))
    call.store.updateStatus("pods", {
      ...stored,
      status: { ...readRecord(stored, "status"), conditions: scheduledConditions(stored, call) },
    });
  sendJson(call.response, 201, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    code: 201,
  });
}

function scheduledConditions(pod: SimObject, call: ApiRequest): JsonRecord[] {
  const others = readPath(pod, "status.conditions");
  const kept = Array.isArray(others)
    ? others.filter((each) => isRecord(each) && each["type"] !== "PodScheduled")
    : [];
  const now = `${new Date(call.clock.now()).toISOString().slice(0, 19)}Z`;
  return [...kept, { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: now }];
}

/** `eviction`: a delete that asks the PodDisruptionBudgets first. */
export async function handleEviction(call: ApiRequest): Promise<void> {
  const body = parseObject(await readBody(call.request), mediaType(call.request));
  const pod = call.store.live(call.type, namespaceOf(call), call.target.name ?? "");
  checkEviction(body, pod, call.store.minorVersion);
  admitEviction(call.store, { pod, nowMs: call.clock.now(), dryRun: isDryRun(call) });
  const asked = readRecord(body, "deleteOptions") ?? {};
  const options = readDeleteOptions(asked, call.query, isDryRun(call));
  call.store.deleteObject(call.type, pod.metadata.namespace, pod.metadata.name, options);
  sendJson(call.response, 201, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    code: 201,
  });
}
