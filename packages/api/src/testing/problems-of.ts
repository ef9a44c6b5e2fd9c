import type { Kind } from "../kind/kind.ts";
import { validateWrite } from "../kind/validate-write.ts";

/** What is wrong with an object that has this spec, as `PATH MESSAGE`. */
export function problemsOf(kind: Kind, spec: object): string[] {
  const result = validateWrite(kind, { metadata: { name: "x" }, spec });
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path} ${message}`);
}
