import type { AwsSession } from "./aws-session.ts";
import { taggedThings } from "./eks-orphans.ts";
import { clusterTag, nameTag, regionTag, serverTag } from "./names.ts";

/** The ids of installations of that name whose clusters `bowline up` has made in this region: each is its own cluster. */
export async function findInstallations(aws: AwsSession, name: string): Promise<readonly string[]> {
  const found = (await taggedThings(aws)).filter(({ tags, type }) => {
    const isOfUp = tags[nameTag] === name && tags[clusterTag] === tags[serverTag];
    // Roles are the same in all regions: those of a cluster elsewhere are in use there.
    return isOfUp && (type !== "iam:role" || tags[regionTag] === aws.region);
  });
  return [...new Set(found.flatMap(({ tags }) => tags[clusterTag] ?? []))];
}
