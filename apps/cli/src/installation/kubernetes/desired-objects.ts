import { installationObjects, parseValues, type InstallationValues } from "@bowline/install";
import { isRecord, mergePatch } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import type { KubernetesOptions } from "./kubernetes-options.ts";

/** On everything that is made: which installation it is of, and what that one is called. */
export const idLabel = "bowline.dev/installation";
export const nameLabel = "bowline.dev/installation-name";

export interface DesiredOptions {
  readonly options: KubernetesOptions;
  readonly installation: string;
  readonly version: string;
  /** Of the cluster: `1.36`. */
  readonly kubernetesVersion: string;
}

/** All that an installation is to be, before anybody has looked at the cluster. */
export interface DesiredInstallation {
  readonly namespace: KubeObject;
  /** Secrets that `up` makes, by name; they hold what nothing else could give back. */
  readonly secrets: readonly {
    readonly name: string;
    readonly key: string;
    readonly holds: "token" | "keys";
  }[];
  /** The one with the token of the first admin, whoever made it. */
  readonly tokenSecret: { readonly name: string; readonly key: string };
  /** In an order in which they can be created. */
  readonly objects: readonly KubeObject[];
  /** Of the Deployment or StatefulSet. */
  readonly image: string;
  readonly pullSecrets: readonly string[];
  /** With a name that is in its certificate, whichever way leads there. */
  readonly certifiedUrl: string;
  /** That others know it by, where somebody said so. */
  readonly url: string | undefined;
  readonly usesSqlite: boolean;
  /** A server may take so long to start. */
  readonly startupSeconds: number;
  readonly storageClass: string | undefined;
  readonly ingressClass: string | undefined;
}

export function installationLabels(name: string, installation: string): Readonly<Record<string, string>> {
  return { [idLabel]: installation, [nameLabel]: name };
}

export async function desiredInstallation(desired: DesiredOptions): Promise<DesiredInstallation> {
  const { options, installation, version, kubernetesVersion } = desired;
  const { name, namespace } = options;
  const { serverSettings } = await import("@bowline/server/settings");
  const labels = installationLabels(name, installation);
  const own = { keys: `${name}-encryption`, token: `${name}-admin` };
  const namesKeys = secretNamedBy(options.values["encryption"]) !== undefined;
  // Values may leave out the keys that PostgreSQL needs: they are made here.
  const given = parseValues(
    namesKeys ? options.values : mergePatch(options.values, { encryption: { existingSecret: own.keys } }),
    serverSettings,
  );
  const usesSqlite = given.database.postgres.existingSecret === "";
  const makesToken = given.adminToken.existingSecret === "";
  const makesKeys = !usesSqlite && !namesKeys;
  const url = knownUrl(given);
  const serviceUrl = `https://${name}.${namespace}.svc:${given.service.port}`;
  const added = {
    labels,
    ...(makesToken ? { adminToken: { existingSecret: own.token } } : {}),
    ...(makesKeys ? { encryption: { existingSecret: own.keys } } : {}),
    ...agentAddresses(url, serviceUrl, options.values),
  };
  const values = parseValues(mergePatch(options.values, added), serverSettings);
  const objects = installationObjects(
    values,
    { name, namespace, version, kubernetesVersion },
    serverSettings,
  );
  const kubeObjects = objects.map((object): KubeObject =>
    structuredClone({ ...object, metadata: { ...object.metadata } }),
  );
  return {
    namespace: namespaceObject(namespace, labels),
    secrets: [
      ...(makesToken ? [{ name: own.token, key: values.adminToken.key, holds: "token" } as const] : []),
      ...(makesKeys ? [{ name: own.keys, key: values.encryption.key, holds: "keys" } as const] : []),
    ],
    tokenSecret: { name: values.adminToken.existingSecret, key: values.adminToken.key },
    objects: kubeObjects,
    image: imageOf(kubeObjects),
    pullSecrets: given.image.pullSecrets,
    certifiedUrl: given.tls.existingSecret === "" ? serviceUrl : (url ?? serviceUrl),
    url,
    usesSqlite,
    startupSeconds: given.probes.startupSeconds,
    storageClass: textOrNone(given.database.sqlite.storageClassName),
    ingressClass: given.ingress.enabled ? textOrNone(given.ingress.className) : undefined,
  };
}

/** The Secret that a value refers to, where somebody has made one. */
export function secretNamedBy(value: unknown): string | undefined {
  const name = isRecord(value) ? value["existingSecret"] : undefined;
  return typeof name === "string" ? textOrNone(name) : undefined;
}

/** As the servers say it to everybody; undefined where that is the name of their Service. */
function knownUrl({ url, ingress, gateway }: InstallationValues): string | undefined {
  if (url !== "") return url;
  const route = [ingress, gateway].find(({ enabled }) => enabled);
  return route === undefined ? undefined : `https://${route.host}`;
}

/** The agent of the same cluster may not reach the address that others know; it tries the next one then. */
function agentAddresses(
  url: string | undefined,
  serviceUrl: string,
  values: KubernetesOptions["values"],
): object {
  const settings = isRecord(values["settings"]) ? values["settings"] : {};
  if (url === undefined || settings["gateway"] !== undefined) return {};
  return { settings: { gateway: { urls: [url, serviceUrl] } } };
}

function namespaceObject(name: string, labels: Readonly<Record<string, string>>): KubeObject {
  const own = {
    "app.kubernetes.io/part-of": "bowline",
    "pod-security.kubernetes.io/enforce": "restricted",
  };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { ...own, ...labels } } };
}

function imageOf(objects: readonly KubeObject[]): string {
  for (const object of objects) {
    const image = at(object, "spec", "template", "spec", "containers", 0, "image");
    if (typeof image === "string") return image;
  }
  return "";
}

function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((found, part) => {
    if (typeof part === "number") return Array.isArray(found) ? found[part] : undefined;
    return isRecord(found) ? found[part] : undefined;
  }, value);
}

function textOrNone(text: string): string | undefined {
  return text === "" ? undefined : text;
}
