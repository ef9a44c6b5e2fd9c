import { isUtf8 } from "node:buffer";

import { GitError } from "../model/git-error.ts";

/** Something in a tree that is not a folder. */
export interface TreeEntry {
  readonly mode: string;
  readonly id: string;
  /** From the folder that is read. */
  readonly path: string;
}

export const modes = { executable: "100755", link: "120000", submodule: "160000", folder: "040000" } as const;

/** Problems that have the codes `UnsafePath` and `UnreadableFile`, for programs. */
export type PathProblem =
  | "caseCollision"
  | "danglingLink"
  | "lfsPointer"
  | "linkLoop"
  | "linkOutside"
  | "name"
  | "notUtf8"
  | "submodule";

export function unsafe(path: string, problem: PathProblem, says: string): GitError {
  return new GitError("UnsafePath", `${path} ${says}.`, { details: { path, problem } });
}

export interface Excess {
  /** To stand in the sentence "… has …, and at most … are allowed". */
  readonly what: string;
  readonly actual?: number | undefined;
  readonly limit: number;
}

export function tooLarge(path: string, { what, actual, limit }: Excess): GitError {
  const number = actual === undefined ? `more than ${limit}` : String(actual);
  return new GitError("TooLarge", `${path} has ${number} ${what}; at most ${limit} are allowed.`, {
    details: { path, limit, ...(actual === undefined ? {} : { actual }) },
  });
}

/** Reads what `ls-tree -z` prints, and refuses names that could mean something else elsewhere. */
export function parseTree(output: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0, at);
    const tab = output.indexOf(9, at);
    const [mode = "", , id = ""] = output.toString("latin1", at, tab).split(" ");
    const name = output.subarray(tab + 1, end);
    entries.push({ mode, id, path: readName(name) });
    at = end + 1;
  }
  return entries;
}

/** How many entries there are, without reading them. */
export function countEntries(output: Buffer): number {
  let count = 0;
  for (let at = output.indexOf(0); at >= 0; at = output.indexOf(0, at + 1)) count += 1;
  return count;
}

function readName(bytes: Buffer): string {
  const path = bytes.toString("utf8");
  const shown = JSON.stringify(path);
  if (!isUtf8(bytes)) throw unsafe(shown, "name", "has a name that is not UTF-8; rename it");
  if (/[\p{Cc}\\]/u.test(path)) {
    throw unsafe(shown, "name", "has a name with a backslash or a control character; rename it");
  }
  const isReserved = path.split("/").some((part) => part === ".." || part === "." || /^\.git$/iu.test(part));
  if (isReserved || path === "") throw unsafe(shown, "name", "has a name that leads elsewhere; rename it");
  return path;
}

/** Names that differ in case only would be one file on some machines. Folders count as much as files. */
export function checkCollisions(paths: readonly string[]): void {
  const seen = new Map<string, string>();
  for (const path of paths) {
    const parts = path.split("/");
    for (let length = 1; length <= parts.length; length++) {
      const name = parts.slice(0, length).join("/");
      const folded = name.normalize("NFC").toLowerCase();
      const other = seen.get(folded) ?? name;
      if (other !== name) {
        throw unsafe(name, "caseCollision", `and ${other} differ in case only; rename one of them`);
      }
      seen.set(folded, name);
    }
  }
}
