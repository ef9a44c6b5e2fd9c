import {
  readRecord,
  readRecords,
  readScalar,
  readString,
  readStrings,
  type JsonRecord,
} from "../store/json-value.ts";
import type { SimApi, SimObject } from "../store/sim-api.ts";

/** A container as a command in it sees it. */
export interface SimulatedContainer {
  readonly hostname: string;
  readonly environment: ReadonlyMap<string, string>;
  /** By their whole paths. */
  readonly files: ReadonlyMap<string, string>;
  /** Names of shells that its image has, if any. */
  readonly shells: readonly string[];
  /** Whatever runs as the first process. */
  readonly mainCommand: string;
}

/** Nobody finds out a password by looking into a simulated container. */
const hidden = "(a value of a Secret, which the simulation does not show)";
const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";
const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Looks at the objects of this moment; what changes later, a shell that is open does not see. */
export function simulatedContainer(api: SimApi, pod: SimObject, name: string): SimulatedContainer {
  const own = [...readRecords(pod, "spec.containers"), ...readRecords(pod, "spec.initContainers")];
  const container = own.find((each) => each["name"] === name) ?? {};
  const hostname = readString(pod, "spec.hostname") ?? pod.metadata.name.slice(0, 63);
  const image = readString(container, "image") ?? "";
  const started = [...readStrings(container, "command"), ...readStrings(container, "args")];
  return {
    hostname,
    environment: new Map([
      ["PATH", searchPath],
      ["HOSTNAME", hostname],
      ["KUBERNETES_SERVICE_HOST", "10.96.0.1"],
      ["KUBERNETES_SERVICE_PORT", "443"],
      ...environmentOf(api, pod, container),
      ["HOME", "/root"],
    ]),
    files: new Map([...systemFiles(pod, hostname, image), ...mountedFiles(api, pod, container)]),
    shells: shellsOf(image),
    mainCommand: started.length > 0 ? started.join(" ") : `/${programOf(image)}`,
  };
}

/** Small images have no shell, or no bash. */
function shellsOf(image: string): string[] {
  if (/distroless|scratch|\/pause(?::|$)/u.test(image)) return [];
  return /alpine|busybox/u.test(image) ? ["sh"] : ["sh", "bash"];
}

function programOf(image: string): string {
  return image.replace(/[@:][^/]*$/u, "").replace(/^.*\//u, "") || "app";
}

function environmentOf(api: SimApi, pod: SimObject, container: JsonRecord): [string, string][] {
  const all = readRecords(container, "envFrom").flatMap((from) => {
    const prefix = readString(from, "prefix") ?? "";
    return dataOf(api, pod, from, ["configMapRef.name", "secretRef.name"]).map(
      ([key, value]): [string, string] => [`${prefix}${key}`, value],
    );
  });
  const named = readRecords(container, "env").map((entry): [string, string] => [
    String(entry["name"]),
    readString(entry, "value") ?? valueFrom(api, pod, entry),
  ]);
  return [...all, ...named];
}

function valueFrom(api: SimApi, pod: SimObject, entry: JsonRecord): string {
  const field = readString(entry, "valueFrom.fieldRef.fieldPath");
  if (field !== undefined) return readScalar(pod, field) ?? "";
  if (readRecord(entry, "valueFrom.secretKeyRef") !== undefined) return hidden;
  const key = readString(entry, "valueFrom.configMapKeyRef.key");
  const data = dataOf(api, pod, entry, ["valueFrom.configMapKeyRef.name", ""]);
  return data.find(([each]) => each === key)?.[1] ?? "";
}

/** The entries of the ConfigMap or of the Secret that is named at one of these places, the latter without values. */
function dataOf(
  api: SimApi,
  { metadata }: SimObject,
  source: JsonRecord,
  [configMapAt, secretAt]: readonly [string, string],
): [string, string][] {
  const configMap = readString(source, configMapAt);
  const secret = readString(source, secretAt);
  if (configMap !== undefined) {
    const data = readRecord(api.get("configmaps", metadata.namespace, configMap), "data") ?? {};
    return Object.entries(data).map(([key, value]) => [key, String(value)]);
  }
  if (secret === undefined) return [];
  const data = readRecord(api.get("secrets", metadata.namespace, secret), "data") ?? {};
  return Object.keys(data).map((key) => [key, hidden]);
}

function systemFiles(pod: SimObject, hostname: string, image: string): [string, string][] {
  const ip = readString(pod, "status.podIP") ?? "127.0.0.1";
  const namespace = pod.metadata.namespace ?? "default";
  return [
    ["/etc/hostname", `${hostname}\n`],
    ["/etc/hosts", `# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n${ip}\t${hostname}\n`],
    ["/etc/os-release", `NAME="kubesim"\nPRETTY_NAME="A simulated container of ${image}"\n`],
    ["/etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n"],
    [
      "/etc/resolv.conf",
      `search ${namespace}.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n`,
    ],
    ["/proc/loadavg", "0.08 0.03 0.01 1/128 42\n"],
    ["/root/.profile", "# Nothing here is real.\n"],
    ["/tmp/.keep", ""],
    ["/usr/bin/env", ""],
    ["/var/log/.keep", ""],
    [`${accountFolder}/namespace`, namespace],
    [`${accountFolder}/token`, hidden],
  ];
}

function mountedFiles(api: SimApi, pod: SimObject, container: JsonRecord): [string, string][] {
  return readRecords(container, "volumeMounts").flatMap((mount) => {
    const volume = readRecords(pod, "spec.volumes").find((each) => each["name"] === mount["name"]) ?? {};
    const folder = (readString(mount, "mountPath") ?? "").replace(/\/+$/u, "");
    const data = dataOf(api, pod, volume, ["configMap.name", "secret.secretName"]);
    const files = data.map(([key, content]): [string, string] => [`${folder}/${key}`, content]);
    return files.length > 0 ? files : [[`${folder}/.keep`, ""]];
  });
}
