import type { Failure } from "../live/failure.ts";

/** Who said no, in words, and what would change it. */
export interface Refusal {
  readonly by: "role" | "grant" | "cluster";
  readonly title: string;
  readonly advice: string;
}

/**
 * A request to a cluster can be refused twice: by Bowline, whose answers say where they come from, and by the cluster
 * itself, after Bowline has let it through.
 */
export function refusalOf({ isOfCluster, hop }: Pick<Failure, "isOfCluster" | "hop">): Refusal {
  if (isOfCluster) {
    return {
      by: "cluster",
      title: "The cluster's RBAC refused this",
      advice:
        "Bowline let the request through. A role in the cluster has to allow it to the user, or to one of the groups, that your AccessGrant acts as.",
    };
  }
  if (hop === "server") {
    return {
      by: "grant",
      title: "No AccessGrant of yours covers this",
      advice: "The cluster was not asked. An admin can write an AccessGrant, or widen one.",
    };
  }
  return {
    by: "role",
    title: "Bowline refused this",
    advice: "What you may do here follows from your role, which an admin can change.",
  };
}
