import { X509Certificate } from "node:crypto";

import { hasCode } from "@bowline/core";
import { resources, type KubeClient, type KubeObject } from "@bowline/kube";
import { certificateNames } from "@bowline/tls";

import { entryNamespace, listenerName, madeForGateways, type Entry } from "./entry.ts";
import type { EntryHost } from "./entry-objects.ts";

/** So long before its end a certificate is made anew; it lasts for 90 days. */
const renewalMs = 30 * 86_400_000;
const fieldManager = "bowline-gateways";

/**
 * Keeps the certificates that Bowline makes itself, in Secrets beside the entry. Their keys are made here and are nowhere
 * but in the cluster: in a definition everybody could read them who may read definitions.
 */
export async function keepSelfMade(
  client: KubeClient,
  {
    entry,
    hosts,
    nowMs,
    signal,
  }: {
    readonly entry: Entry;
    readonly hosts: readonly EntryHost[];
    readonly nowMs: number;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const namespace = entryNamespace(entry);
  for (const { host, certificate } of hosts) {
    if (certificate?.from !== "bowline") continue;
    const name = listenerName(host);
    const end = endOf(await unlessMissing(client.get(resources.secrets, { namespace, name, signal })), host);
    if (end !== undefined && end - nowMs > renewalMs) continue;
    const secret = await makeSecret({ host, namespace, nowMs });
    await client.apply(resources.secrets, secret, { fieldManager, force: true, signal });
  }
}

/** When the certificate in a Secret ends; undefined when there is none, or none for this host. */
export function endOf(secret: KubeObject | undefined, host: string): number | undefined {
  const certificate = certificateIn(secret);
  if (certificate?.checkHost(host.replace("*", "any")) === undefined) return undefined;
  return Date.parse(certificate.validTo);
}

function certificateIn(secret: KubeObject | undefined): X509Certificate | undefined {
  const data = secret?.["data"];
  if (typeof data !== "object" || data === null || !("tls.crt" in data)) return undefined;
  try {
    return new X509Certificate(Buffer.from(String(data["tls.crt"]), "base64"));
  } catch {
    // Not a certificate: as good as none.
    return undefined;
  }
}

async function makeSecret({
  host,
  namespace,
  nowMs,
}: {
  readonly host: string;
  readonly namespace: string;
  readonly nowMs: number;
}): Promise<KubeObject> {
  // Long to load, and wanted in few servers.
  const { makeAuthority, issueServingCertificate } = await import("@bowline/tls/issue");
  const authority = await makeAuthority(nowMs);
  const { cert, key } = await issueServingCertificate(authority, { names: certificateNames([host]), nowMs });
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/tls",
    metadata: { name: listenerName(host), namespace, labels: { [madeForGateways]: "true" } },
    data: { "tls.crt": base64(cert), "tls.key": base64(key), "ca.crt": base64(authority.cert) },
  };
}

/**
 * Removes Secrets of hosts that an entry has no more; cert-manager leaves its own behind. Which hosts it has is asked after
 * what is there: whoever has come in between, with a Secret, is among them.
 */
export async function removeOtherSecrets(
  client: KubeClient,
  {
    entry,
    hostsOf,
    signal,
  }: {
    readonly entry: Entry;
    readonly hostsOf: () => Promise<readonly EntryHost[]>;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const namespace = entryNamespace(entry);
  const labelSelector = `${madeForGateways}=true`;
  const { items } = await client.listMetadata(resources.secrets, { namespace, labelSelector, signal });
  const names = new Set((await hostsOf()).map(({ host }) => listenerName(host)));
  for (const { metadata } of items) {
    const { name } = metadata;
    if (name === undefined || names.has(name)) continue;
    await unlessMissing(client.delete(resources.secrets, { namespace, name, signal }));
  }
}

export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (hasCode(error, "NotFound")) return undefined;
    throw error;
  }
}
