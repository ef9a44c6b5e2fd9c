import type { ApiObject, Kind } from "../kind/kind.ts";
import { parseFieldPath, valuesAt } from "../path/field-path.ts";
import type { Problem } from "./problem.ts";

/** What is wrong with an update: fields that cannot be changed, and changes that the kind does not take. */
export function checkUpdate(
  kind: Kind,
  before: Pick<ApiObject, "spec">,
  after: Pick<ApiObject, "spec">,
): Problem[] {
  const changed = kind.immutable.flatMap((field) => {
    const path = parseFieldPath(field);
    const same = JSON.stringify(valuesAt(path, before)) === JSON.stringify(valuesAt(path, after));
    return same ? [] : [{ path: path.text, message: "cannot be changed once the object exists" }];
  });
  return [...changed, ...kind.checkChange({ ...before.spec }, { ...after.spec })];
}
