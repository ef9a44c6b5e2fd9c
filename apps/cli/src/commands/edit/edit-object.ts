import { isDeepStrictEqual } from "node:util";

import type { ApiObject } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { failureNotes } from "../../command/failure.ts";
import { parseManifests } from "../../manifests/parse-manifests.ts";
import { toYaml } from "../../output/to-yaml.ts";
import { printableText } from "../../output/terminal-text.ts";
import { resourceName, type Resource } from "../../resources/resource.ts";
import { DraftFile } from "./draft-file.ts";

type Body = Readonly<Record<string, unknown>>;

/** Lets somebody edit an object until the server accepts it, or they give up. */
export async function editObject(context: CommandContext, resource: Resource): Promise<void> {
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

/** What people decide about an object. */
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
