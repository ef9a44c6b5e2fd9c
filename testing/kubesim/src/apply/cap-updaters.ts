import { union } from "./field-set.ts";
import { identityOf, type Manager, type Managers } from "./managed-fields.ts";

const maxUpdaters = 10;
const bucketName = "ancient-changes";

/** Keeps the list of managers short: the oldest updaters of a version are joined into one. */
export function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers.values()].filter(({ operation }) => operation === "Update");
  if (updaters.length <= maxUpdaters) return managers;
  const result = new Map(managers);
  const oldestOfVersion = new Map<string, Manager>();
  let count = updaters.length;
  for (const updater of updaters.toSorted(byAge)) {
    if (count <= maxUpdaters) break;
    const oldest = oldestOfVersion.get(updater.apiVersion);
    if (oldest === undefined) {
      oldestOfVersion.set(updater.apiVersion, updater);
      continue;
    }
    const bucket: Manager = { ...updater, name: bucketName, subresource: "" };
    const filled = result.get(identityOf(bucket));
    if (filled === undefined) result.delete(identityOf(oldest));
    result.delete(identityOf(updater));
    result.set(identityOf(bucket), { ...bucket, fields: union((filled ?? oldest).fields, updater.fields) });
    count -= 1;
  }
  return result;
}

function byAge(left: Manager, right: Manager): number {
  const leftKey = `${left.time ?? ""} ${identityOf(left)}`;
  const rightKey = `${right.time ?? ""} ${identityOf(right)}`;
  return leftKey < rightKey ? -1 : 1;
}
