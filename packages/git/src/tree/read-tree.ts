import { isUtf8 } from "node:buffer";

import { GitError } from "../model/git-error.ts";
import { blobContents, blobSizes, type BlobReader } from "./read-blobs.ts";
import { resolveLinks } from "./resolve-links.ts";
import {
  checkCollisions,
  countEntries,
  modes,
  parseTree,
  tooLarge,
  unsafe,
  type TreeEntry,
} from "./tree-entry.ts";

export interface TreeLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
}

export interface TreeRequest {
  readonly commit: string;
  /** A folder or file, from the root of the repository; `.` for all. */
  readonly path: string;
  readonly limits: TreeLimits;
  /** Files to read; others are not looked at. Default all. */
  readonly select?: ((path: string) => boolean) | undefined;
}

interface GitFile {
  /** From the folder that was asked for; its name where that is a file. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly executable: boolean;
}

export interface GitTree {
  /** Id of the folder, or of the file: the same for the same content, whatever the commit. */
  readonly treeId: string;
  /** Sorted by path. */
  readonly files: readonly GitFile[];
}

/** A list of a million files is about as long. */
const maxListBytes = 128 * 1024 * 1024;
/** No path is longer on any system. */
const maxLinkBytes = 4_096;
const lfsPointer = "version https://git-lfs.github.com/spec/";
const largestLfsPointer = 1_024;

/** Reads files of a commit out of the repository's objects: nothing is ever checked out. */
export async function readTree(request: TreeRequest, reader: BlobReader): Promise<GitTree> {
  const root = await entryAt(request, reader);
  const listed = root.mode === modes.folder ? await listFolder(root, request, reader) : [plainName(root)];
  const submodule = listed.find(({ mode }) => mode === modes.submodule);
  if (submodule !== undefined) {
    throw unsafe(
      submodule.path,
      "submodule",
      "is a submodule, which is not fetched; commit its files instead",
    );
  }
  const targets = await linkTargets(listed, reader);
  const { maxFiles } = request.limits;
  const { select = () => true } = request;
  const entries = resolveLinks(listed, targets, maxFiles)
    .filter(({ path }) => select(path))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  if (entries.length > maxFiles) {
    throw tooLarge(request.path, { what: "files", actual: entries.length, limit: maxFiles });
  }
  checkCollisions(entries.map(({ path }) => path));
  return { treeId: root.id, files: await readFiles(entries, request, reader) };
}

/** The folder or file itself, by its place in the tree: nothing on the way is a link that is followed. */
async function entryAt({ commit, path }: TreeRequest, reader: BlobReader): Promise<TreeEntry> {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..") || path.startsWith("/")) {
    throw new GitError(
      "InvalidArgument",
      `The path ${JSON.stringify(path)} must stay inside of the repository.`,
    );
  }
  if (parts.length === 0) return { mode: modes.folder, path: ".", id: await rootTree(commit, reader) };
  const { runner, repository, timeoutMs, signal } = reader;
  const wanted = parts.join("/");
  const { exitCode, output } = await runner.run({
    args: ["ls-tree", "-z", "--full-tree", commit, "--", wanted],
    repository,
    timeoutMs,
    signal,
  });
  if (exitCode !== 0) throw notFetched(commit);
  const [entry] = parseTree(output);
  if (entry === undefined) {
    throw new GitError("PathNotFound", `The commit ${commit} has no ${wanted}; check the path.`, {
      details: { path: wanted, commit },
    });
  }
  if (entry.mode === modes.link) {
    throw unsafe(wanted, "linkOutside", "is a link; write the path that it leads to");
  }
  return entry;
}

async function rootTree(
  commit: string,
  { runner, repository, timeoutMs, signal }: BlobReader,
): Promise<string> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${commit}^{tree}`];
  const { exitCode, output } = await runner.run({ args, repository, timeoutMs, signal });
  if (exitCode !== 0) throw notFetched(commit);
  return output.toString("latin1").trim();
}

function notFetched(commit: string): GitError {
  return new GitError("CommitNotFound", `The commit ${commit} is not in the cache; fetch it first.`, {
    details: { commit },
  });
}

async function listFolder(root: TreeEntry, { path, limits, select }: TreeRequest, reader: BlobReader) {
  const { runner, repository, timeoutMs, signal } = reader;
  const { output } = await runner.run({
    args: ["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", root.id],
    repository,
    timeoutMs,
    maxOutputBytes: maxListBytes,
    signal,
  });
  const count = countEntries(output);
  // With a choice of files, it is those that count.
  if (select === undefined && count > limits.maxFiles) {
    throw tooLarge(path, { what: "files", actual: count, limit: limits.maxFiles });
  }
  return parseTree(output);
}

function plainName(entry: TreeEntry): TreeEntry {
  return { ...entry, path: entry.path.slice(entry.path.lastIndexOf("/") + 1) };
}

async function linkTargets(entries: readonly TreeEntry[], reader: BlobReader): Promise<Map<string, string>> {
  const links = entries.filter(({ mode }) => mode === modes.link);
  const ids = [...new Set(links.map(({ id }) => id))];
  const sizes = await blobSizes(ids, reader);
  const long = links.find(({ id }) => (sizes.get(id) ?? Number.POSITIVE_INFINITY) > maxLinkBytes);
  if (long !== undefined) throw unsafe(long.path, "linkOutside", "is a link that is too long to be a path");
  const contents = await blobContents(ids, ids.length * maxLinkBytes, reader);
  return new Map(links.map(({ id, path }) => [path, contents.get(id)?.toString("utf8") ?? ""]));
}

async function readFiles(
  entries: readonly TreeEntry[],
  { path: root, limits }: TreeRequest,
  reader: BlobReader,
): Promise<GitFile[]> {
  const ids = [...new Set(entries.map(({ id }) => id))];
  const sizes = ids.length === 0 ? new Map<string, number>() : await blobSizes(ids, reader);
  let total = 0;
  for (const { id, path } of entries) {
    const size = sizes.get(id);
    if (size === undefined || size > limits.maxFileBytes) {
      throw tooLarge(path, { what: "bytes", actual: size, limit: limits.maxFileBytes });
    }
    total += size;
  }
  const limit = limits.maxTotalBytes;
  if (total > limit) throw tooLarge(root, { what: "bytes in its files", actual: total, limit });
  const contents = await blobContents(ids, total, reader);
  return entries.map(({ id, path, mode }) => {
    const bytes = contents.get(id) ?? Buffer.alloc(0);
    checkContent(path, bytes);
    return { path, bytes, executable: mode === modes.executable };
  });
}

function checkContent(path: string, bytes: Buffer): void {
  if (bytes.length <= largestLfsPointer && bytes.toString("latin1", 0, lfsPointer.length) === lfsPointer) {
    throw new GitError(
      "UnreadableFile",
      `${path} is a pointer of Git LFS, and its content is elsewhere; commit the file itself.`,
      {
        details: { path, problem: "lfsPointer" },
      },
    );
  }
  if (/\.(?:ya?ml|json)$/iu.test(path) && !isUtf8(bytes)) {
    throw new GitError("UnreadableFile", `${path} is not UTF-8; save it as UTF-8.`, {
      details: { path, problem: "notUtf8" },
    });
  }
}
