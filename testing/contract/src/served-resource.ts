import { Discovery, type KubeClient, type ResourceRef } from "@bowline/kube";

/** A kind in the version this server prefers: some were served as v1 only after the oldest version we support. */
export async function servedResource(client: KubeClient, group: string, kind: string): Promise<ResourceRef> {
  const found = await new Discovery(client).findKind({ group, kind });
  if (found === undefined) throw new Error(`The server has no ${kind} in the group "${group}".`);
  return found;
}

/** The second number of the server's version. */
export async function minorVersion(client: KubeClient): Promise<number> {
  return (await new Discovery(client).serverVersion()).minor;
}

export function apiVersionOf({ group, version }: ResourceRef): string {
  return group === "" ? version : `${group}/${version}`;
}
