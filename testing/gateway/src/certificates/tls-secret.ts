import { resources, type KubeClient, type ObjectMeta } from "@bowline/kube";

import type { KeyPair } from "../rules/key-pair.ts";

interface TlsSecret {
  readonly namespace: string;
  readonly name: string;
  readonly pair: KeyPair;
  /** Of the authority, where clients should be able to find it. */
  readonly ca?: string;
  readonly metadata?: Pick<ObjectMeta, "annotations">;
}

/** Writes a certificate and its key as Kubernetes keeps them, in the place of what may be there. */
export async function writeTlsSecret(
  client: KubeClient,
  { namespace, name, pair, ca, metadata = {} }: TlsSecret,
): Promise<void> {
  const texts = { "tls.crt": pair.cert, "tls.key": pair.key, ...(ca === undefined ? {} : { "ca.crt": ca }) };
  const data = Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, btoa(value)]));
  const object = {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/tls",
    metadata: { ...metadata, name, namespace },
    data,
  };
  await client.apply(resources.secrets, object, { fieldManager: "bowline-test-certificates", force: true });
}
