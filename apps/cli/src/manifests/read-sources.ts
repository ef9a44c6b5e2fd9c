import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { BowlineError, codeOf } from "@bowline/core";

import { printableLine } from "../output/terminal-text.ts";

/** A text that manifests are in. */
export interface ManifestSource {
  /** The file as it was named, or `standard input`. */
  readonly source: string;
  readonly text: string;
}

export interface ReadSourcesOptions {
  /** Look into the folders of a folder as well. */
  readonly recursive?: boolean;
  readonly readStdin: (maxBytes: number, signal?: AbortSignal) => Promise<string>;
  readonly signal: AbortSignal;
}

/** Of one file: sixteen of the largest objects that the server takes. */
const maxSourceBytes = 16 * 1024 * 1024;
const maxFiles = 10_000;
const manifestFile = /\.(ya?ml|json)$/iu;

/** Reads files, all manifests in folders, and standard input, which is called `-`. In the order given, folders sorted. */
export async function readSources(
  paths: readonly string[],
  options: ReadSourcesOptions,
): Promise<ManifestSource[]> {
  if (paths.filter((path) => path === "-").length > 1) {
    throw new BowlineError("InvalidArgument", "Standard input can be read only once: give -f - once.");
  }
  const sources: ManifestSource[] = [];
  for (const path of paths) {
    if (path === "-") {
      const text = await options.readStdin(maxSourceBytes, options.signal);
      sources.push({ source: "standard input", text });
      continue;
    }
    for (const file of await filesAt(path, options)) {
      sources.push({ source: printableLine(file), text: await readText(file, options.signal) });
    }
  }
  return sources;
}

/** The path itself, or the manifests in the folder that it is. Whatever is no folder is read: pipes, for example. */
async function filesAt(path: string, { recursive = false }: ReadSourcesOptions): Promise<string[]> {
  const found = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!found.isDirectory()) return [path];
  const files = await manifestsIn(path, recursive);
  if (files.length === 0) {
    const hint = recursive ? "" : "; -R looks into its folders as well";
    throw new BowlineError(
      "InvalidArgument",
      `${printableLine(path)} has no .yaml, .yml or .json files${hint}.`,
    );
  }
  if (files.length > maxFiles) {
    throw new BowlineError("InvalidArgument", `${printableLine(path)} has more than ${maxFiles} manifests.`);
  }
  return files;
}

/** Links to folders are not followed: they may lead in circles. */
async function manifestsIn(folder: string, recursive: boolean): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive }).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  return entries
    .filter((entry) => !entry.isDirectory() && manifestFile.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

async function readText(file: string, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of createReadStream(file, { signal })) {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size > maxSourceBytes) {
        throw new BowlineError("InvalidArgument", `${printableLine(file)} is longer than 16 MiB; split it.`);
      }
      chunks.push(bytes);
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(file, error);
  }
}

function unreadable(path: string, error: unknown): BowlineError {
  if (error instanceof BowlineError) return error;
  return new BowlineError("InvalidArgument", `${printableLine(path)} ${whyUnreadable(error)}.`, {
    cause: error,
  });
}

function whyUnreadable(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT") return "does not exist";
  if (code === "EACCES") return "may not be read: permission denied";
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return "is not text in UTF-8";
  return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}
