import { posix } from "node:path";

import type { GitCache, GitCredential, GitTree } from "@bowline/git";
import type { SourceFile } from "@bowline/render";

interface FolderRequest {
  readonly url: string;
  readonly credential: GitCredential | undefined;
  readonly commit: string;
  /** A folder or a file. */
  readonly path: string;
  readonly signal: AbortSignal;
}

interface ReadFolder {
  readonly files: readonly SourceFile[];
  /** The folder to render among the files. */
  readonly folder: string;
}

const kustomizationName = /(?:^|\/)(?:kustomization\.ya?ml|Kustomization)$/u;
/** A path that leaves its folder, as kustomizations name bases and components. */
const outside = /(?:\.\.\/)*\.\.(?:\/[\w./@+-]*)?/gu;
/** Each look may find further ones; no sensible set of bases is deeper. */
const maxLooks = 16;

/**
 * The files of a folder and, where a kustomization in it refers to others of the repository, those as well: a
 * repository may be far larger than what one source is about.
 */
export async function readFolder(
  cache: Pick<GitCache, "readTree">,
  { path, ...request }: FolderRequest,
): Promise<ReadFolder> {
  const folder = posix.normalize(path).replace(/^\.$|\/+$/gu, "");
  const tree = await cache.readTree({ ...request, path });
  const own = tree.files.map(({ path: name }) => name);
  const isFile = own.length === 1 && posix.basename(folder) === own[0];
  const roots = [folder];
  const isRead = (name: string): boolean => roots.some((root) => isBelow(name, root));
  let found = isFile ? [] : referredFolders(tree, folder).filter((root) => !isRead(root));
  if (found.length === 0) return { files: sourceFiles(tree), folder: "" };
  let whole = tree;
  for (let look = 0; found.length > 0 && look < maxLooks; look += 1) {
    roots.push(...found);
    whole = await cache.readTree({ ...request, path: ".", select: isRead });
    found = referredFolders(whole, "").filter((root) => !isRead(root));
  }
  return { files: sourceFiles(whole), folder };
}

/** Folders and files outside that kustomizations name. What is not there is told by whoever renders. */
function referredFolders(tree: GitTree, folder: string): string[] {
  return tree.files.flatMap(({ path, bytes }) => {
    if (!kustomizationName.test(path)) return [];
    const at = posix.dirname(posix.join(folder, path));
    const texts = bytes.toString("utf8").match(outside) ?? [];
    return texts
      .map((text) => posix.join(at, text).replace(/\/+$/u, ""))
      .filter((root) => !root.startsWith(".."));
  });
}

function isBelow(path: string, root: string): boolean {
  return root === "." || root === "" || path === root || path.startsWith(`${root}/`);
}

function sourceFiles({ files }: GitTree): SourceFile[] {
  return files.map(({ path, bytes, executable }) => ({
    path,
    bytes,
    mode: executable ? 0o100755 : 0o100644,
  }));
}
