import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { BowlineError } from "@bowline/core";

import type { Environment } from "../../command/command-context.ts";

const maxDraftBytes = 16 * 1024 * 1024;

/** A file that somebody edits, in a folder that nobody else can read. Gone when it is disposed of, unless kept. */
export class DraftFile implements AsyncDisposable {
  readonly path: string;
  #isKept = false;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(name: string): Promise<DraftFile> {
    return new DraftFile(join(await mkdtemp(join(tmpdir(), "bowline-edit-")), `${name}.yaml`));
  }

  /** Leave it where it is: it holds work that could not be saved. */
  keep(): void {
    this.#isKept = true;
  }

  /** Opens the editor with this text; returns what is there when the editor is closed. */
  async edit(text: string, environment: Environment): Promise<string> {
    await writeFile(this.path, text, { mode: 0o600 });
    await runEditor(editorIn(environment), this.path);
    if ((await stat(this.path)).size > maxDraftBytes) {
      throw new BowlineError("InvalidArgument", `${this.path} is longer than any object may be.`);
    }
    return readFile(this.path, "utf8");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isKept) await rm(dirname(this.path), { recursive: true, force: true });
  }
}

function editorIn(environment: Environment): string {
  const names = ["BOWLINE_EDITOR", "VISUAL", "EDITOR"];
  return names.map((name) => environment[name]).find((value) => value !== undefined && value !== "") ?? "vi";
}

/** Through a shell, as git does it: people put flags into EDITOR. The file is an argument and never part of the script. */
async function runEditor(editor: string, path: string): Promise<void> {
  const child = spawn("/bin/sh", ["-c", `${editor} "$@"`, "sh", path], { stdio: "inherit" });
  const [code, signal]: [number | null, string | null] = await once(child, "exit").then(([first, second]) => [
    typeof first === "number" ? first : null,
    typeof second === "string" ? second : null,
  ]);
  if (code === 0) return;
  const end = code === 127 ? "was not found" : `ended with ${signal ?? `exit code ${code}`}`;
  throw new BowlineError("ProcessFailed", `The editor ${editor} ${end}; set EDITOR to another one.`);
}
