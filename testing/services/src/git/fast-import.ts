import { testAuthor } from "./run-git.ts";

/** Content of a file, or something that git keeps in the place of one; null for nothing. */
type TestFile =
  | string
  | Buffer
  | { readonly executable: string }
  | { readonly symlink: string }
  | { readonly submodule: string }
  | null;

export type TestFiles = Readonly<Record<string, TestFile>>;

interface ImportedCommit {
  readonly ref: string;
  /** The parent's id; empty for none. */
  readonly before: string;
  /** `seconds +0000` */
  readonly time: string;
  readonly message: string;
  readonly files: TestFiles;
}

/** A commit as `git fast-import` reads it: any tree can be made, and no work tree is needed. */
export function fastImportCommit({ ref, before, time, message, files }: ImportedCommit): Buffer {
  const head = [
    `commit ${ref}`,
    `author ${testAuthor} ${time}`,
    `committer ${testAuthor} ${time}`,
    `data ${Buffer.byteLength(message)}`,
    message,
    ...(before === "" ? [] : [`from ${before}`]),
    "",
  ].join("\n");
  const changes = Object.entries(files).flatMap(([path, file]) => change(quoted(path), file));
  return Buffer.concat([Buffer.from(head), ...changes, Buffer.from("\n")]);
}

function change(path: string, file: TestFile): Buffer[] {
  if (file === null) return [Buffer.from(`D ${path}\n`)];
  if (typeof file === "string" || Buffer.isBuffer(file)) return inline("100644", path, file);
  if ("executable" in file) return inline("100755", path, file.executable);
  if ("symlink" in file) return inline("120000", path, file.symlink);
  return [Buffer.from(`M 160000 ${file.submodule} ${path}\n`)];
}

function inline(mode: string, path: string, content: string | Buffer): Buffer[] {
  const bytes = Buffer.from(content);
  return [Buffer.from(`M ${mode} inline ${path}\ndata ${bytes.length}\n`), bytes, Buffer.from("\n")];
}

function quoted(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
