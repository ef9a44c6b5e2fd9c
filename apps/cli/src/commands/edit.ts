import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import type { ApiObject } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext, Environment } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { failureNotes } from "../command/failure.ts";
import { parseManifests } from "../manifests/read-manifests.ts";
import { printableText } from "../output/terminal-text.ts";
import { toYaml } from "../output/to-yaml.ts";
import { parseResources, resourceName, type Resource } from "../resources/resource.ts";

export function addEditCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("edit")
    .usage("(KIND NAME | KIND/NAME) [FLAGS]")
    .description(
      "Change an object in your editor, which is BOWLINE_EDITOR, VISUAL or EDITOR, or else vi. What the server refuses comes back with the reason above it. Nothing is written if somebody else has changed the object meanwhile.",
    )
    .argument("<resource...>", "KIND NAME or KIND/NAME")
    .action((args: string[]) => editObject(context, onlyOne(args)));
  addExamples(command, [
    { does: "Edit a cluster", run: "bowline edit cluster prod-eu-1" },
    { does: "Edit it in another editor", run: 'EDITOR="code --wait" bowline edit cluster/prod-eu-1' },
  ]);
}

function onlyOne(args: readonly string[]): Resource {
  const wanted = parseResources(args);
  const [only, ...others] = wanted.by === "name" ? wanted.resources : [];
  if (only !== undefined && others.length === 0) return only;
  throw new BowlineError("InvalidArgument", "Name the one object to edit: KIND NAME or KIND/NAME.");
}

type Body = Readonly<Record<string, unknown>>;

/** Lets somebody edit an object until the server accepts it, or they give up. */
async function editObject(context: CommandContext, resource: Resource): Promise<void> {
  const { kind, name } = resource;
  const { terminal, signal, environment } = context;
  const client = await context.client();
  const object = await client.get(kind, name, { signal });
  const original = editable(object);
  await using draft = await DraftFile.create(`${kind.singular}-${name}`);
  let text = toYaml(original);
  let problem: BowlineError | undefined;
  for (;;) {
    const edited = withoutNotes(await draft.edit(notesFor(resource, problem) + text, environment));
    signal.throwIfAborted();
    if (edited.trim() === "") return terminal.error("Nothing was changed: the file is empty.\n");
    if (problem !== undefined && edited === text) {
      draft.keep();
      throw new BowlineError(problem.code, `${problem.message} What you wrote is in ${draft.path}.`, {
        cause: problem,
      });
    }
    text = edited;
    try {
      const body = parseEdited(resource, edited);
      if (isDeepStrictEqual(body, original)) return terminal.error("Nothing was changed.\n");
      const options = { ifMatch: object.metadata.resourceVersion, signal };
      const { outcome } = await client.apply(kind, name, body, options);
      return terminal.out(`${resourceName(resource)} ${outcome === "unchanged" ? "unchanged" : "edited"}\n`);
    } catch (thrown) {
      problem = BowlineError.from(thrown);
      if (problem.code === "Invalid" || problem.code === "BadRequest") continue;
      draft.keep();
      throw new BowlineError(problem.code, `${explained(problem)} What you wrote is in ${draft.path}.`, {
        cause: problem,
      });
    }
  }
}

/** The fields of an object that people decide about. */
function editable({ apiVersion, kind, metadata, spec }: ApiObject): Body {
  const { name, labels, annotations } = metadata;
  return { apiVersion, kind, metadata: { name, labels, annotations }, spec };
}

function parseEdited({ kind, name }: Resource, text: string): Body {
  const [manifest, ...others] = parseManifests({ source: "your file", text });
  if (manifest !== undefined && others.length === 0 && manifest.kind === kind && manifest.name === name) {
    return manifest.body;
  }
  throw new BowlineError("Invalid", `Your file must hold the ${kind.kind} "${name}" and nothing else.`);
}

function explained({ code, message }: BowlineError): string {
  if (code !== "Conflict" && code !== "PreconditionFailed") return message;
  return "Somebody else has changed the object meanwhile, so nothing was written; edit it again.";
}

const noteMark = "# ";

function notesFor(resource: Resource, problem: BowlineError | undefined): string {
  const notes = [
    `Save this file to change ${resourceName(resource)}; leave it as it is, or empty it, to change nothing.`,
    ...(problem === undefined ? [] : ["", "It was refused:", problem.message, ...failureNotes(problem)]),
  ];
  return printableText(notes.join("\n"))
    .split("\n")
    .map((line) => `${noteMark}${line}`.trimEnd())
    .join("\n")
    .concat("\n");
}

/** The notes are the comments at the top: they are made anew each time. */
function withoutNotes(text: string): string {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => !line.startsWith("#"));
  return first === -1 ? "" : lines.slice(first).join("\n");
}

const maxDraftBytes = 16 * 1024 * 1024;

/** A file that somebody edits, in a folder that nobody else can read. Gone when it is disposed of, unless kept. */
class DraftFile implements AsyncDisposable {
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
