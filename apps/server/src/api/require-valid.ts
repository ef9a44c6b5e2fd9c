import { checkUpdate, invalidError, type ApiObject, type Kind, type Refused } from "@bowline/api";

/** What a validator accepted, or `Invalid` with everything that is wrong. */
export function requireValid<Accepted extends { readonly ok: true }>(
  kind: Kind,
  result: Accepted | Refused,
): Accepted {
  if (!result.ok) throw invalidError(`The ${kind.kind}`, result.problems);
  return result;
}

/** `Invalid` when a field would change that cannot. */
export function requireUpdatable(
  kind: Kind,
  before: Pick<ApiObject, "spec">,
  after: Pick<ApiObject, "spec">,
): void {
  const problems = checkUpdate(kind, before, after);
  if (problems.length > 0) throw invalidError(`The ${kind.kind}`, problems);
}
