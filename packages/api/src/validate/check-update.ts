import type { ApiObject, Kind } from "../kind/kind.ts";
import { parseFieldPath, valuesAt } from "../path/field-path.ts";
import type { Problem } from "./problem.ts";

/** The fields that an update would change although they cannot be changed. */
export function checkUpdate(
  kind: Kind,
  before: Pick<ApiObject, "spec">,
  after: Pick<ApiObject, "spec">,
): Problem[] {
  return kind.immutable.flatMap((field) => {
    const path = parseFieldPath(field);
    const same = JSON.stringify(valuesAt(path, before)) === JSON.stringify(valuesAt(path, after));
    return same ? [] : [{ path: path.text, message: "cannot be changed once the object exists" }];
  });
}
