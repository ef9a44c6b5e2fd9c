import { checkUpdate, invalidError, type ApiObject, type Kind, type Problem } from "@bowline/api";

type Checked = { readonly ok: true } | { readonly ok: false; readonly problems: readonly Problem[] };

/** What a validator accepted, or `Invalid` with everything that is wrong. */
export function requireValid<Result extends Checked>(
  kind: Kind,
  result: Result,
): Extract<Result, { readonly ok: true }> {
  if (result.ok) return result as Extract<Result, { readonly ok: true }>;
  throw invalidError(`The ${kind.kind}`, "problems" in result ? result.problems : []);
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
