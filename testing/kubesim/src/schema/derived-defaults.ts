import { isRecord } from "@bowline/core";

import { field, isList, valueAt, type JsonObject } from "./json-value.ts";

type Rule = (object: JsonObject) => JsonObject;

/** Defaults that depend on other fields. By the name of the type. */
const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["io.k8s.api.core.v1.Container", container],
  ["io.k8s.api.core.v1.EphemeralContainer", container],
  ["io.k8s.api.core.v1.Pod", pod],
  ["io.k8s.api.core.v1.PodSpec", podSpec],
  ["io.k8s.api.core.v1.Volume", volume],
  ["io.k8s.api.core.v1.ServicePort", (port) => withDefault(port, "targetPort", port["port"])],
  ["io.k8s.api.core.v1.ServiceSpec", serviceSpec],
  ["io.k8s.api.core.v1.Secret", secret],
  ["io.k8s.api.core.v1.ReplicationController", selectorFromTemplate],
  ["io.k8s.api.core.v1.PersistentVolumeClaim", claim],
  ["io.k8s.api.core.v1.LimitRangeItem", limitRangeItem],
  ["io.k8s.api.core.v1.NodeStatus", (status) => withDefault(status, "allocatable", status["capacity"])],
  ["io.k8s.api.apps.v1.DeploymentStrategy", rollingUpdate],
  ["io.k8s.api.apps.v1.StatefulSetUpdateStrategy", rollingUpdate],
  ["io.k8s.api.apps.v1.DaemonSetUpdateStrategy", rollingUpdate],
  ["io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler", scalerV1],
  ["io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec", scalerSpec],
  ["io.k8s.api.batch.v1.Job", job],
  ["io.k8s.api.networking.v1.NetworkPolicySpec", networkPolicySpec],
  ["io.k8s.api.rbac.v1.RoleRef", (ref) => withDefault(ref, "apiGroup", rbacGroup, true)],
  ["io.k8s.api.rbac.v1.Subject", subject],
  ["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec", crdSpec],
]);

const rbacGroup = "rbac.authorization.k8s.io";

export function deriveDefaults(typeName: string | undefined, object: JsonObject): JsonObject {
  const rule = typeName === undefined ? undefined : rules.get(typeName);
  return rule === undefined ? object : rule(object);
}

function withDefault(object: JsonObject, name: string, value: unknown, emptyIsMissing = false): JsonObject {
  const current = field(object, name);
  const isMissing = current === undefined || current === null || (emptyIsMissing && current === "");
  return isMissing && value !== undefined ? { ...object, [name]: value } : object;
}

/** Images tagged `latest`, in words or by saying nothing, are pulled anew each time. */
function container(object: JsonObject): JsonObject {
  const image = typeof object["image"] === "string" ? object["image"] : "";
  const tag = /:([^/:@]+)$/.exec(image)?.[1];
  const isLatest = !image.includes("@") && (tag === undefined || tag === "latest");
  return withDefault(object, "imagePullPolicy", isLatest ? "Always" : "IfNotPresent", true);
}

/** Only a pod itself gets these; a template would change, and so roll out, whenever a server learns a new one. */
function pod(object: JsonObject): JsonObject {
  const spec = object["spec"];
  if (!isRecord(spec)) return object;
  const complete = mapContainers(withDefault(spec, "enableServiceLinks", true), requestsFromLimits);
  return complete === spec ? object : { ...object, spec: complete };
}

/** What does not change stays shared: thousands of pods have the containers of one template. */
function mapContainers(spec: JsonObject, change: Rule): JsonObject {
  let result = spec;
  for (const name of ["containers", "initContainers"]) {
    const list = spec[name];
    if (!isList(list)) continue;
    const items = list.map((item) => (isRecord(item) ? change(item) : item));
    if (items.some((item, index) => item !== list[index])) result = { ...result, [name]: items };
  }
  return result;
}

function requestsFromLimits(container: JsonObject): JsonObject {
  const limits = valueAt(container, "resources", "limits");
  const resources = container["resources"];
  if (!isRecord(limits) || !isRecord(resources)) return container;
  const requests = isRecord(resources["requests"]) ? resources["requests"] : {};
  if (Object.keys(limits).every((name) => name in requests)) return container;
  return { ...container, resources: { ...resources, requests: { ...limits, ...requests } } };
}

/** The old and the new name of the service account say the same. On the node's network, every port is the node's. */
function podSpec(object: JsonObject): JsonObject {
  const account = object["serviceAccountName"] ?? object["serviceAccount"];
  const named = withDefault(withDefault(object, "serviceAccountName", account), "serviceAccount", account);
  return object["hostNetwork"] === true ? mapContainers(named, hostPorts) : named;
}

function hostPorts(object: JsonObject): JsonObject {
  const ports = object["ports"];
  if (!isList(ports)) return object;
  const opened = ports.map((port) =>
    isRecord(port) ? withDefault(port, "hostPort", port["containerPort"]) : port,
  );
  return opened.every((port, index) => port === ports[index]) ? object : { ...object, ports: opened };
}

function volume(object: JsonObject): JsonObject {
  const hasSource = Object.keys(object).some((name) => name !== "name");
  return hasSource ? object : { ...object, emptyDir: {} };
}

function serviceSpec(object: JsonObject): JsonObject {
  const isExternal = object["type"] === "NodePort" || object["type"] === "LoadBalancer";
  const typed = isExternal ? withDefault(object, "externalTrafficPolicy", "Cluster", true) : object;
  if (object["sessionAffinity"] !== "ClientIP") return typed;
  return withDefault(typed, "sessionAffinityConfig", { clientIP: {} });
}

/** `stringData` is only for writing: it is encoded into `data` and forgotten. */
function secret(object: JsonObject): JsonObject {
  const { stringData, ...rest } = object;
  if (!isRecord(stringData)) return object;
  const encoded = Object.entries(stringData).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString("base64"),
  ]);
  return {
    ...rest,
    data: { ...(isRecord(rest["data"]) ? rest["data"] : {}), ...Object.fromEntries(encoded) },
  };
}

function rollingUpdate(object: JsonObject): JsonObject {
  const type = object["type"] ?? "RollingUpdate";
  return type === "RollingUpdate" ? withDefault(object, "rollingUpdate", {}) : object;
}

/** A job that says nothing runs one pod to its end. The job template of a CronJob gets no such defaults. */
function job(object: JsonObject): JsonObject {
  const spec = object["spec"];
  if (!isRecord(spec)) return object;
  const { completions, parallelism } = spec;
  const isSingle = (completions ?? null) === null && (parallelism ?? null) === null;
  const counted = isSingle ? { ...spec, completions: 1 } : spec;
  return { ...object, spec: withDefault(withDefault(counted, "parallelism", 1), "backoffLimit", 6) };
}

const usualCpuPercent = 80;
const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";

/** Version 1 keeps metrics beside the CPU in an annotation; without any, the CPU has its usual target. */
function scalerV1(object: JsonObject): JsonObject {
  const spec = object["spec"];
  if (!isRecord(spec) || valueAt(object, "metadata", "annotations", metricsAnnotation) !== undefined)
    return object;
  return { ...object, spec: withDefault(spec, "targetCPUUtilizationPercentage", usualCpuPercent) };
}

function scalerSpec(object: JsonObject): JsonObject {
  if (isList(object["metrics"]) && object["metrics"].length > 0) return object;
  const target = { type: "Utilization", averageUtilization: usualCpuPercent };
  return { ...object, metrics: [{ type: "Resource", resource: { name: "cpu", target } }] };
}

/** A claim within a StatefulSet says what it is, as if it stood alone. */
function claim(object: JsonObject): JsonObject {
  return withDefault(withDefault(object, "kind", "PersistentVolumeClaim"), "apiVersion", "v1");
}

/** A container may use what it may at most, and asks for what it may use, unless something else is said. */
function limitRangeItem(object: JsonObject): JsonObject {
  if (object["type"] !== "Container") return object;
  const amounts = (name: string): JsonObject => (isRecord(object[name]) ? object[name] : {});
  const limits = { ...amounts("max"), ...amounts("default") };
  const requests = { ...amounts("min"), ...limits, ...amounts("defaultRequest") };
  return {
    ...object,
    ...(Object.keys(limits).length > 0 ? { default: limits } : {}),
    ...(Object.keys(requests).length > 0 ? { defaultRequest: requests } : {}),
  };
}

function networkPolicySpec(object: JsonObject): JsonObject {
  const hasEgress = isList(object["egress"]) && object["egress"].length > 0;
  return withDefault(object, "policyTypes", hasEgress ? ["Ingress", "Egress"] : ["Ingress"]);
}

function subject(object: JsonObject): JsonObject {
  const isAccount = object["kind"] === "ServiceAccount";
  return isAccount ? object : withDefault(object, "apiGroup", rbacGroup, true);
}

function selectorFromTemplate(object: JsonObject): JsonObject {
  const labels = valueAt(object, "spec", "template", "metadata", "labels");
  const spec = object["spec"];
  if (!isRecord(labels) || !isRecord(spec)) return object;
  return { ...object, spec: withDefault(spec, "selector", labels) };
}

function crdSpec(object: JsonObject): JsonObject {
  const names = object["names"];
  const conversion = withDefault(object, "conversion", { strategy: "None" });
  if (!isRecord(names) || typeof names["kind"] !== "string") return conversion;
  const singular = withDefault(names, "singular", names["kind"].toLowerCase(), true);
  return { ...conversion, names: withDefault(singular, "listKind", `${names["kind"]}List`, true) };
}
