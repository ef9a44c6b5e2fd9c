import type { ApiCall } from "../api-call.ts";
import type { EksUpdate } from "../world/things.ts";
import { optionalText, seconds, type EksRoute, type JsonObject } from "./eks-action.ts";

type WantedUpdate = Pick<EksUpdate, "cluster" | "type" | "clientToken"> &
  Partial<Pick<EksUpdate, "nodegroup" | "version">>;

export const updateRoutes: readonly EksRoute[] = [
  {
    action: "DescribeUpdate",
    method: "GET",
    path: "/clusters/*/updates/*",
    answer: ({ names: [cluster = "", id = ""], query }, call) => {
      const { updates, clusters, nodegroups } = call.world;
      const nodegroup = query.get("nodegroupName") ?? undefined;
      const { arn } =
        nodegroup === undefined ? clusters.get(cluster) : nodegroups.get(`${cluster}/${nodegroup}`);
      call.allow({ action: "eks:DescribeUpdate", resource: arn });
      const update = updates.get(id);
      // One of a group is not known to its cluster.
      const isOfIt = update.cluster === cluster && update.nodegroup === nodegroup;
      return { update: updateView(isOfIt ? update : updates.get(""), call) };
    },
  },
];

export function tokenOf(body: JsonObject): Pick<EksUpdate, "clientToken"> {
  return { clientToken: optionalText(body, "clientRequestToken") };
}

/** The one that the same token has asked for, whatever has become of it. */
export function updateBefore(
  { cluster, nodegroup, type, clientToken }: WantedUpdate,
  { world }: ApiCall,
): EksUpdate | undefined {
  if (clientToken === undefined) return undefined;
  return world.updates.all.find(
    (each) =>
      each.cluster === cluster &&
      each.nodegroup === nodegroup &&
      each.type === type &&
      each.clientToken === clientToken,
  );
}

export function newUpdate(wanted: WantedUpdate, takesMs: number, { world }: ApiCall): EksUpdate {
  const id = world.newId("update");
  const failure = world.settings.updateFailure;
  world.settings.updateFailure = undefined;
  return world.updates.add({
    ...world.thing(id, world.arn("eks", `update/${id}`)),
    nodegroup: undefined,
    version: undefined,
    ...wanted,
    endsAtMs: world.clock.now() + takesMs,
    failure,
  });
}

/** That of the control plane, or of the group, when the update has ended. */
export function versionAfter({ failure, version }: EksUpdate, before: string): string {
  return failure === undefined ? (version ?? before) : before;
}

export function updateView(
  { id, type, endsAtMs, failure, madeAtMs }: EksUpdate,
  { world }: ApiCall,
): JsonObject {
  const ended = failure === undefined ? "Successful" : "Failed";
  const status = endsAtMs > world.clock.now() ? "InProgress" : ended;
  const errors = [{ errorCode: failure?.code, errorMessage: failure?.message, resourceIds: [] }];
  return {
    id,
    type,
    status,
    createdAt: seconds(madeAtMs),
    errors: status === "Failed" ? errors : [],
  };
}
