import { GitError } from "../model/git-error.ts";
import type { GitRunner } from "../run/git-runner.ts";

export interface BlobReader {
  readonly runner: GitRunner;
  readonly repository: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

const bytesPerLine = 256;

/** Sizes of objects by id; undefined for one that is not here, because the server's filter left it out. */
export async function blobSizes(
  ids: readonly string[],
  { runner, repository, timeoutMs, signal }: BlobReader,
): Promise<Map<string, number | undefined>> {
  const { output } = await runner.run({
    args: ["cat-file", "--batch-check=%(objectname) %(objectsize)"],
    repository,
    input: inputOf(ids),
    timeoutMs,
    maxOutputBytes: (ids.length + 1) * bytesPerLine,
    signal,
  });
  const lines = output.toString("latin1").trimEnd().split("\n");
  const sizes = lines.map((line): [string, number | undefined] => {
    const [id = "", size = ""] = line.split(" ");
    return [id, /^\d+$/u.test(size) ? Number(size) : undefined];
  });
  return new Map(ids.length === 0 ? [] : sizes);
}

/** Contents of objects by id, which together have `bytes` bytes. */
export async function blobContents(
  ids: readonly string[],
  bytes: number,
  { runner, repository, timeoutMs, signal }: BlobReader,
): Promise<Map<string, Buffer>> {
  if (ids.length === 0) return new Map();
  const { output } = await runner.run({
    args: ["cat-file", "--batch"],
    repository,
    input: inputOf(ids),
    timeoutMs,
    maxOutputBytes: bytes + (ids.length + 1) * bytesPerLine,
    signal,
  });
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(10, at);
    const [id = "", type, size] = output.toString("latin1", at, end).split(" ");
    if (end < 0 || type !== "blob" || size === undefined) break;
    const from = end + 1;
    contents.set(id, output.subarray(from, from + Number(size)));
    at = from + Number(size) + 1;
  }
  if (contents.size < ids.length) {
    throw new GitError(
      "CommitNotFound",
      "Files of the commit are not in the cache any more; fetch it again.",
    );
  }
  return contents;
}

function inputOf(ids: readonly string[]): string {
  return ids.map((id) => `${id}\n`).join("");
}
