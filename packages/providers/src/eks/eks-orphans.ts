import { lookAtPlaces } from "../look-at-places.ts";
import type { OrphanedResource, OrphanSearch, WantedCluster } from "../provider.ts";
import type { AwsSession, AwsSessions } from "./aws-session.ts";
import { unless } from "./cluster-step.ts";
import { refusalOf } from "./eks-failure.ts";
import { clusterTag, intentTag, nameTag, serverTag } from "./names.ts";
import { deletedGateways } from "./sweep.ts";

type Tags = Readonly<Record<string, string>>;
interface TaggedThing extends Omit<OrphanedResource, "clusterId"> {
  readonly tags: Tags;
}

/** Looks once for each region and Credential that a cluster has; changes nothing. */
export async function findOrphans(
  search: OrphanSearch,
  sessions: AwsSessions,
): Promise<readonly OrphanedResource[]> {
  const places = new Map(
    search.clusters.map((cluster) => {
      const { region, eks } = cluster.spec;
      const who = eks?.credential === undefined ? "the server itself" : `the Credential ${eks.credential}`;
      return [`${region} by ${who}`, cluster] as const;
    }),
  );
  const { signal } = search;
  const onMissed = (place: string, error: unknown): void => search.onMissed(place, refusalOf(error));
  const look = (cluster: WantedCluster) => orphansIn(sessions.open({ ...search, cluster }), search);
  const found = await lookAtPlaces(places, look, { onMissed, signal });
  // Roles have no region, and two credentials may be of one account.
  return [
    ...new Map(
      found.map((orphan) => [`${orphan.type} ${orphan.region ?? ""} ${orphan.id}`, orphan]),
    ).values(),
  ];
}

async function orphansIn(
  aws: AwsSession,
  { installation, clusterIds, signal }: OrphanSearch,
): Promise<OrphanedResource[]> {
  signal.throwIfAborted();
  const things = await taggedThings(aws);
  return things.flatMap(({ tags, ...thing }) => {
    const { [clusterTag]: clusterId, [intentTag]: token } = tags;
    if (tags[serverTag] !== installation || clusterId === undefined) return [];
    // What is found by its name is found again, whatever is remembered; what has an id only is found by its mark.
    if (clusterIds.has(clusterId) && (token === undefined || !thing.type.startsWith("ec2:"))) return [];
    return [{ ...thing, clusterId, ...(token === undefined ? {} : { token }) }];
  });
}

/** Whatever has tags of Bowline, of any installation, in the region of the session. What goes meanwhile is not told. */
export async function taggedThings(aws: AwsSession): Promise<TaggedThing[]> {
  const all = [...(await ec2Things(aws)), ...(await clusters(aws)), ...(await roles(aws))];
  return all.filter(({ tags }) => tags[serverTag] !== undefined);
}

/** All tags that are ours, one row for each, gathered by what they are on. */
async function ec2Things(aws: AwsSession): Promise<TaggedThing[]> {
  const gone = await deletedGateways({ aws });
  const things = new Map<string, TaggedThing & { tags: Record<string, string> }>();
  let NextToken: string | undefined;
  do {
    const page = await aws.send("ec2:DescribeTags", {
      Filters: [{ Name: "key", Values: [serverTag, clusterTag, nameTag, intentTag] }],
      ...(NextToken === undefined ? {} : { NextToken }),
    });
    for (const { ResourceId = "", ResourceType = "", Key = "", Value = "" } of page.Tags ?? []) {
      if (gone.has(ResourceId)) continue;
      const thing = things.get(ResourceId) ?? {
        id: ResourceId,
        type: `ec2:${ResourceType}`,
        region: aws.region,
        tags: {},
      };
      thing.tags[Key] = Value;
      things.set(ResourceId, thing);
    }
    ({ NextToken } = page);
  } while (NextToken !== undefined && NextToken !== "");
  return [...things.values()];
}

async function clusters(aws: AwsSession): Promise<TaggedThing[]> {
  const found: TaggedThing[] = [];
  let nextToken: string | undefined;
  do {
    const page = await aws.send("eks:ListClusters", nextToken === undefined ? {} : { nextToken });
    for (const name of page.clusters ?? []) {
      if (!name.startsWith("bowline-")) continue;
      const answer = await aws
        .send("eks:DescribeCluster", { name })
        .catch(unless("ResourceNotFoundException"));
      if (answer === undefined) continue;
      const { tags = {} } = answer.cluster ?? {};
      found.push({ id: name, type: "eks:cluster", region: aws.region, tags });
    }
    ({ nextToken } = page);
  } while (nextToken !== undefined);
  return found;
}

async function roles(aws: AwsSession): Promise<TaggedThing[]> {
  const found: TaggedThing[] = [];
  let Marker: string | undefined;
  do {
    const page = await aws.send("iam:ListRoles", Marker === undefined ? {} : { Marker });
    for (const { RoleName = "" } of page.Roles ?? []) {
      if (!RoleName.startsWith("bowline-")) continue;
      const answer = await aws
        .send("iam:ListRoleTags", { RoleName })
        .catch(unless("NoSuchEntity", "NoSuchEntityException"));
      if (answer === undefined) continue;
      const { Tags = [] } = answer;
      const tags = Object.fromEntries(Tags.map(({ Key = "", Value = "" }) => [Key, Value]));
      found.push({ id: RoleName, type: "iam:role", tags });
    }
    ({ Marker } = page);
  } while (Marker !== undefined);
  return found;
}
