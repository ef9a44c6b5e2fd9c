import type { ChildSnapshot, SupervisorSnapshot } from "./supervisor-snapshot.ts";

/**
 * What keeps a tree of supervisors from being well, a line for each child that is neither running nor stopped, with the
 * path to it. Empty when all is well: a health check throws when it is not.
 */
export function supervisionProblems(snapshot: SupervisorSnapshot): string[] {
  const own = snapshot.state === "running" ? [] : [`${snapshot.name} is ${snapshot.state}`];
  return [...own, ...snapshot.children.flatMap((child) => problemsOf(child, snapshot.name))];
}

function problemsOf(child: ChildSnapshot, parentPath: string): string[] {
  const path = `${parentPath}/${child.name}`;
  const isWell = child.state === "running" || child.state === "stopped";
  const why = child.lastError === undefined ? "" : `: ${child.lastError.message}`;
  const own = isWell ? [] : [`${path} is ${child.state}${why}`];
  return [...own, ...(child.children ?? []).flatMap((grandchild) => problemsOf(grandchild, path))];
}
