import { hasCode, isRecord, systemClock } from "@bowline/core";
import { resources, type KubeClient, type KubeObject, type ResourceRef } from "@bowline/kube";

const fieldManager = "bowline-test-gateway";
const askAgainMs = 50;

/** From this minor version on the API server knows the CEL rules of definitions. */
const knowsRulesSince = 23;

/**
 * Writes definitions and waits until the server answers for every version of them. By server-side apply, since the
 * annotation that a client-side one leaves would be longer than Kubernetes allows (HTTPRoute's is 429 KB). Servers that
 * do not know CEL rules refuse an apply that has them; when the same is created or replaced, they leave the rules out.
 */
export async function installDefinitions(
  client: KubeClient,
  definitions: readonly KubeObject[],
  signal: AbortSignal = AbortSignal.timeout(60_000),
): Promise<void> {
  const { minor } = await client.requestJson<{ minor: string }>({ method: "GET", path: "/version", signal });
  const write = Number.parseInt(minor, 10) >= knowsRulesSince ? applyOne : replaceOne;
  for (const definition of definitions) await write(client, definition, signal);
  for (const definition of definitions)
    for (const resource of servedBy(definition)) await isServed(client, resource, signal);
}

async function applyOne(client: KubeClient, definition: KubeObject, signal: AbortSignal): Promise<void> {
  await client.apply(resources.customResourceDefinitions, definition, { fieldManager, signal });
}

async function replaceOne(client: KubeClient, definition: KubeObject, signal: AbortSignal): Promise<void> {
  const resource = resources.customResourceDefinitions;
  try {
    await client.create(resource, definition, { signal });
  } catch (error) {
    if (!hasCode(error, "AlreadyExists")) throw error;
    const { name = "" } = definition.metadata;
    const { resourceVersion = "" } = (await client.get(resource, { name, signal })).metadata;
    const metadata = { ...definition.metadata, resourceVersion };
    await client.update(resource, { ...definition, metadata }, { signal });
  }
}

/** What the server will serve because of a definition. */
export function servedBy({ spec }: KubeObject): ResourceRef[] {
  if (!isRecord(spec) || !isRecord(spec["names"]) || !Array.isArray(spec["versions"])) return [];
  const { group, scope, names } = spec;
  return spec["versions"]
    .filter((version) => isRecord(version) && version["served"] === true)
    .map((version: Record<string, unknown>) => ({
      group: String(group),
      version: String(version["name"]),
      plural: String(names["plural"]),
      kind: String(names["kind"]),
      namespaced: scope === "Namespaced",
    }));
}

/** Servers say "Established" a moment before they answer; the only sign is an answer. */
async function isServed(client: KubeClient, resource: ResourceRef, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await client.list(resource, { limit: 1, signal });
      return;
    } catch (error) {
      if (!hasCode(error, "NotFound")) throw error;
      await systemClock.sleep(askAgainMs, signal);
    }
  }
}
