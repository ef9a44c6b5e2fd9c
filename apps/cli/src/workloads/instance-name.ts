import { WorkloadInstance } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import { parseResources, requireObjectName } from "../resources/resource.ts";

/** How commands about one instance write their argument. */
export const instanceUsage = "(INSTANCE | wi/INSTANCE)";

/** The name in `web`, `wi/web` or `workloadinstance/web`. Throws `InvalidArgument`. */
export function instanceName(argument: string): string {
  if (!argument.includes("/")) return requireObjectName(argument);
  const wanted = parseResources([argument]);
  const [only] = wanted.by === "name" ? wanted.resources : [];
  if (only?.kind === WorkloadInstance) return only.name;
  throw new BowlineError(
    "InvalidArgument",
    `«${argument.slice(0, 64)}» is no workload instance; give its name, or wi/NAME.`,
  );
}
