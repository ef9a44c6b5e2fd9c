import type { Container, Pod, Volume } from "../controllers/kinds/pod.ts";
import type { SimApi } from "../store/sim-api.ts";

/** What the API knows, asked by kind and name in the pod's namespace. */
type Exists = (resource: "configmaps" | "secrets", name: string) => boolean;

interface Source {
  readonly resource: "configmaps" | "secrets";
  readonly kind: "configmap" | "secret";
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
}

export function existsIn(api: SimApi, namespace: string | undefined): Exists {
  return (resource, name) => api.get(resource, namespace, name) !== undefined;
}

/** The message for the first volume whose content is not there, as the kubelet puts it. */
export function missingMount(pod: Pod, exists: Exists): string | undefined {
  for (const volume of pod.spec.volumes ?? []) {
    const missing = missingSource(volumeSource(volume), exists);
    if (missing !== undefined) return `MountVolume.SetUp failed for volume "${volume.name}" : ${missing}`;
  }
  return undefined;
}

/** The first ConfigMap or Secret that a container's environment needs and that is not there. */
export function missingEnvironment(container: Container, exists: Exists): string | undefined {
  const sources = [...environmentSources(container["env"]), ...environmentSources(container["envFrom"])];
  for (const source of sources) {
    const missing = missingSource(source, exists);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

function missingSource(source: Source | undefined, exists: Exists): string | undefined {
  if (source?.name === undefined || source.optional === true) return undefined;
  return exists(source.resource, source.name) ? undefined : `${source.kind} "${source.name}" not found`;
}

function volumeSource({ configMap, secret }: Volume): Source | undefined {
  if (configMap !== undefined) {
    return { resource: "configmaps", kind: "configmap", name: configMap.name, optional: configMap.optional };
  }
  if (secret === undefined) return undefined;
  return { resource: "secrets", kind: "secret", name: secret.secretName, optional: secret.optional };
}

interface EnvironmentReference {
  readonly name?: string;
  readonly optional?: boolean;
}

interface EnvironmentEntry {
  readonly configMapRef?: EnvironmentReference;
  readonly secretRef?: EnvironmentReference;
  readonly valueFrom?: {
    readonly configMapKeyRef?: EnvironmentReference;
    readonly secretKeyRef?: EnvironmentReference;
  };
}

function environmentSources(entries: unknown): Source[] {
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: EnvironmentEntry) => {
    const configMap = entry.configMapRef ?? entry.valueFrom?.configMapKeyRef;
    const secret = entry.secretRef ?? entry.valueFrom?.secretKeyRef;
    return [
      ...(configMap === undefined
        ? []
        : [{ ...configMap, resource: "configmaps", kind: "configmap" } as const]),
      ...(secret === undefined ? [] : [{ ...secret, resource: "secrets", kind: "secret" } as const]),
    ];
  });
}
