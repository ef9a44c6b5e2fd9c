import { randomBytes } from "node:crypto";

import { BowlineError, isRecord } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import type { PhaseContext } from "../target.ts";
import type { DesiredInstallation } from "./desired-objects.ts";
import type { KubeCluster } from "./kube-cluster.ts";

type DesiredSecret = DesiredInstallation["secrets"][number];

interface SecretPlace {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Makes the Secrets that are missing. Those that are there are as they should be: another value would open nothing. */
export async function makeSecrets(
  cluster: KubeCluster,
  secrets: readonly DesiredSecret[],
  { namespace, labels }: SecretPlace,
  context: PhaseContext,
): Promise<void> {
  const { resources } = await import("@bowline/kube");
  for (const { name, key, holds } of secrets) {
    const place = { resource: resources.secrets, namespace, name };
    const found = await cluster.find(place, context.signal);
    if (found === undefined) {
      const stringData = { [key]: holds === "token" ? await newToken() : await newKeys() };
      const metadata = { name, namespace, labels: { ...labels } };
      await cluster.create(context, {
        apiVersion: "v1",
        kind: "Secret",
        metadata,
        type: "Opaque",
        stringData,
      });
    } else {
      await context.ledger.made({ type: "Secret", id: `${namespace}/${name}` });
    }
  }
}

/** The value of a key of a Secret. */
export async function readSecret(
  cluster: KubeCluster,
  { namespace, name, key }: { readonly namespace: string; readonly name: string; readonly key: string },
  signal: AbortSignal,
): Promise<string> {
  const { resources } = await import("@bowline/kube");
  const found: KubeObject = await cluster.client.get(resources.secrets, { namespace, name, signal });
  const value: unknown = isRecord(found["data"]) ? found["data"][key] : undefined;
  if (typeof value === "string") return Buffer.from(value, "base64").toString().trim();
  throw new BowlineError("NotFound", `The Secret ${namespace}/${name} has no key ${key}.`);
}

async function newToken(): Promise<string> {
  const { newTokenSecret } = await import("@bowline/auth");
  return newTokenSecret(randomBytes);
}

async function newKeys(): Promise<string> {
  const { newEncryptionKey } = await import("@bowline/server");
  return newEncryptionKey();
}
