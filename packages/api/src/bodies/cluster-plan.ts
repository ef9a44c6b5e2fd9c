import type { Static } from "typebox";

import { integer, line, list, object, optional } from "../schema/build.ts";
import { singleLine } from "../schema/text-rule.ts";

/** What would be made for a Cluster. */
export const ClusterPlan = object("What would be made for a Cluster. Nothing was.", {
  provider: line("Its provider.", singleLine, 64),
  steps: list("What would be made, in order.", line("One of them.", singleLine, 1_024), { maxItems: 1_000 }),
  hourlyCost: optional(
    line(
      "An estimate of what it costs by the hour, such as 0.34 USD; missing where nobody knows.",
      singleLine,
      63,
    ),
  ),
  expectedSeconds: optional(integer("How long it usually takes.", { minimum: 0, maximum: 1_000_000 })),
});
export type ClusterPlan = Static<typeof ClusterPlan>;
