import type { Static } from "typebox";

import { dateTime, integer, line, list, map, object, optional } from "../schema/build.ts";
import { singleLine } from "../schema/text-rule.ts";
import { ListMeta, pageLimits } from "./list.ts";

const count = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** What an agent has counted in its cluster. `docs/reference/views.md` has the views that there are. */
export const ClusterView = object("Numbers about a Cluster as a whole, as its agent has counted them.", {
  cluster: line("The Cluster.", singleLine),
  name: line("Which numbers.", singleLine),
  updatedAt: dateTime("When one of them was last another."),
  numbers: map("The numbers by name.", integer("A number.", { ...count, minimum: -count.maximum }), {
    keys: singleLine,
    maxProperties: 12_000,
  }),
});
export type ClusterView = Static<typeof ClusterView>;

/** Which views to list or watch, as parameters of the address. */
export const ViewFilters = object("Which views.", {
  cluster: optional(line("Only of this Cluster.", singleLine)),
  name: optional(
    line("Only these views: their names, with commas between them.", { ...singleLine, maxLength: 1024 }),
  ),
});
export type ViewFilters = Static<typeof ViewFilters>;

const { resourceVersion, cursor } = ListMeta.properties;

export const ClusterViewList = object("A page of views, by Cluster and by name.", {
  metadata: object("What a list of views says about itself.", {
    resourceVersion,
    cursor,
    withheldClusters: integer("How many Clusters were left out, because no AccessGrant is for them.", count),
  }),
  items: list("The views.", ClusterView, { maxItems: pageLimits.maximum }),
});
export type ClusterViewList = Static<typeof ClusterViewList>;
