import { WorkloadPlacement } from "@bowline/api";
import type { Client } from "@bowline/client";

type Told = readonly [state: string, reason: string | undefined, message: string | undefined];

/** What became of each object of an instance in the cluster. */
export async function resourcesOf(client: Client, instance: string): Promise<Readonly<Record<string, Told>>> {
  const { items } = await client.list(WorkloadPlacement, { fieldSelector: `spec.instance=${instance}` });
  const [placement] = items;
  const entries = (placement?.status.resources ?? []).map(
    ({ kind, namespace, name, state, reason, message }) => {
      const place = namespace === undefined ? name : `${namespace}/${name}`;
      return [`${kind} ${place}`, [state, reason, message]] as const;
    },
  );
  return Object.fromEntries(entries);
}
