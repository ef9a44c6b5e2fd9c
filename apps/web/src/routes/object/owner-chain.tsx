import {
  arrayOf,
  findByKind,
  recordOf,
  textOf,
  type DiscoveredApis,
  type KubeObject,
} from "@bowline/kube/shapes";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { objectParams, objectPath, splitApiVersion, type ObjectPlace } from "../../kube/places.ts";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { useApis } from "../cluster-apis.ts";

/** Somebody who owns an object, and where to find it. */
interface Owner {
  readonly kind: string;
  readonly name: string;
  /** Missing for a kind that the cluster does not tell of. */
  readonly place?: ObjectPlace;
}

const maxHops = 6;
const metadataAccept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json";

/** From the object to whoever stands at the top: a pod, its ReplicaSet, its Deployment. */
export function OwnerChain({ place, object }: { place: ObjectPlace; object: KubeObject }): ReactNode {
  const { data: apis } = useApis(place.cluster);
  const first = ownerOf(place, object.metadata, apis);
  const { data: chain = first === undefined ? [] : [first] } = useQuery({
    queryKey: ["owners", place.cluster, object.metadata.uid, apis !== undefined],
    queryFn: ({ signal }) => readChain(first, apis, signal),
    enabled: first !== undefined && apis !== undefined,
  });
  if (chain.length === 0) return "–";
  return (
    <ol className="flex flex-wrap gap-1">
      {chain.map((owner, index) => (
        <li key={`${owner.kind}/${owner.name}`}>
          {index > 0 && <span aria-hidden="true">← </span>}
          <PlaceLink {...owner} />
        </li>
      ))}
    </ol>
  );
}

export function PlaceLink({ kind, name, place }: Owner): ReactNode {
  const text = cleanText(`${kind}/${name}`, 300);
  if (place === undefined) return text;
  return (
    <Link
      to="/c/$cluster/o/$group/$version/$resource/$namespace/$name"
      params={objectParams(place)}
      preload={false}
    >
      {text}
    </Link>
  );
}

async function readChain(
  first: Owner | undefined,
  apis: DiscoveredApis | undefined,
  signal: AbortSignal,
): Promise<Owner[]> {
  const chain: Owner[] = [];
  for (let owner = first; owner !== undefined && chain.length < maxHops;) {
    chain.push(owner);
    owner = owner.place === undefined ? undefined : await readOwner(owner.place, apis, signal);
  }
  return chain;
}

async function readOwner(
  place: ObjectPlace,
  apis: DiscoveredApis | undefined,
  signal: AbortSignal,
): Promise<Owner | undefined> {
  try {
    const answer = await request<unknown>(objectPath(place), { headers: { accept: metadataAccept }, signal });
    return ownerOf(place, recordOf(recordOf(answer)?.["metadata"]) ?? {}, apis);
  } catch {
    // One may not look further up, or it is gone: the chain ends here.
    return undefined;
  }
}

/** The controller or, where there is none, the first owner. */
function ownerOf(
  { cluster, namespace }: ObjectPlace,
  metadata: Readonly<object>,
  apis: DiscoveredApis | undefined,
): Owner | undefined {
  const references = arrayOf(recordOf(metadata)?.["ownerReferences"]).map((value) => recordOf(value) ?? {});
  const owner = references.find((reference) => reference["controller"] === true) ?? references[0];
  const kind = textOf(owner?.["kind"]);
  const name = textOf(owner?.["name"]);
  if (kind === undefined || name === undefined) return undefined;
  const { group } = splitApiVersion(textOf(owner?.["apiVersion"]) ?? "");
  const place = apis === undefined ? undefined : placeOfKind(apis, { cluster, group, kind, namespace, name });
  return { kind, name, ...(place === undefined ? {} : { place }) };
}

export interface KindAndName {
  readonly cluster: string;
  readonly group: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Where an object is that is known by its kind. */
export function placeOfKind(apis: DiscoveredApis, object: KindAndName): ObjectPlace | undefined {
  const { cluster, group, kind, namespace, name } = object;
  const found = findByKind(apis, { group, kind });
  if (found === undefined) return undefined;
  return {
    cluster,
    group,
    version: found.version,
    resource: found.plural,
    ...(found.namespaced ? { namespace } : {}),
    name,
  };
}
