import { canonicalJson, contentId } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import type { ProviderWork } from "../provider.ts";
import type { ResourceRecord } from "../resource-record.ts";

/** The id of the Cluster in Bowline that an object belongs to; lists can ask for it. */
export const clusterLabel = "bowline.dev/cluster";
/** The installation of Bowline that made it. */
export const serverLabel = "bowline.dev/server";
/** The name of that Cluster, for people. */
const nameAnnotation = "bowline.dev/name";
/** The token of the intent by which it was made. */
const intentAnnotation = "bowline.dev/intent";
/** The hash of what was written; another one means that the object has to be written again. */
const contentAnnotation = "bowline.dev/content";

/** The hash of an object as it is wanted. */
function contentOf(object: KubeObject): string {
  return contentId(canonicalJson(object));
}

/** The object as it is sent: with the marks by which it is known again. */
export function marked(
  object: KubeObject,
  { cluster, installation }: Pick<ProviderWork, "cluster" | "installation">,
  { token }: Pick<ResourceRecord, "token">,
): KubeObject {
  const { labels, annotations } = object.metadata;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...labels, [clusterLabel]: cluster.id, [serverLabel]: installation },
      annotations: {
        ...annotations,
        [nameAnnotation]: cluster.name,
        [intentAnnotation]: token,
        [contentAnnotation]: contentOf(object),
      },
    },
  };
}

/** Whether an object was made for this cluster by this installation. One that lost its marks is known by its uid. */
export function isOurs(
  { metadata }: KubeObject,
  { cluster, installation }: Pick<ProviderWork, "cluster" | "installation">,
  record: Pick<ResourceRecord, "id"> | undefined,
): boolean {
  if (record?.id !== undefined && metadata.uid === record.id) return true;
  const { [clusterLabel]: owner, [serverLabel]: server } = metadata.labels ?? {};
  return owner === cluster.id && server === installation;
}

/** Whether an object that is there has all that is wanted, as far as it is ours to say. */
export function isWritten(
  live: KubeObject,
  wanted: KubeObject,
  work: Pick<ProviderWork, "cluster" | "installation">,
): boolean {
  // Without the record: marks that somebody took away are put back.
  return (
    isOurs(live, work, undefined) && live.metadata.annotations?.[contentAnnotation] === contentOf(wanted)
  );
}
