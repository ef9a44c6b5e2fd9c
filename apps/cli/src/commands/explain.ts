import { fieldsOf, requireKind, type FieldDescription, type Kind } from "@bowline/api";
import { BowlineError, closest, wrapText } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";

interface ExplainOptions {
  readonly recursive: boolean;
}

export function addExplainCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("explain")
    .description(
      "Explain a kind of objects, or a field of it: what it is for, what it may be, what it is if left out.",
    )
    .argument("<KIND[.FIELD…]>", "The kind, and after dots the field")
    .option("-r, --recursive", "Show the fields below those as well", false)
    .action(async (path: string, options: ExplainOptions) => {
      context.terminal.out(explain(path, { ...options, columns: context.terminal.columns ?? 100 }));
    });
  addExamples(command, [
    { does: "Explain what a cluster is", run: "bowline explain cluster" },
    { does: "Explain where a workload may run", run: "bowline explain workloadinstance.spec.placement" },
    { does: "Show every field of a kind", run: "bowline explain cluster --recursive" },
  ]);
}

interface ExplainLayout {
  readonly recursive: boolean;
  readonly columns: number;
}

/** A text about a kind or one of its fields, from the schema that validates it. */
export function explain(text: string, layout: ExplainLayout): string {
  const [kindName = "", ...steps] = text.split(".");
  const kind = requireKind(kindName);
  const fields = fieldsOf(kind.schemas.stored);
  const path = steps.join(".").replaceAll("[]", "");
  const field = path === "" ? undefined : requireField(kind, fields, path);
  const sections = [
    header(kind, field),
    ...(field === undefined ? kindDetails(kind) : fieldDetails(field)),
    ...fieldList(fields, field, layout),
  ];
  return `${sections.map((section) => wrapped(section, layout.columns)).join("\n\n")}\n`;
}

interface Section {
  readonly title?: string;
  readonly entries: readonly Entry[];
}

interface Entry {
  /** Stands as it is; what follows is wrapped and indented below it. */
  readonly head: string;
  readonly text?: string;
  readonly indent?: number;
}

/** The path as people type it: without the marks of lists. */
function plain(path: string): string {
  return path.replaceAll("[]", "");
}

function requireField(kind: Kind, fields: readonly FieldDescription[], path: string): FieldDescription {
  const found = fields.find((field) => plain(field.path) === path);
  if (found !== undefined) return found;
  const paths = fields.map((field) => plain(field.path));
  const meant = closest(path, paths) ?? paths.find((each) => each.endsWith(`.${path}`));
  const hint = meant === undefined ? "" : ` Did you mean "${kind.singular}.${meant}"?`;
  throw new BowlineError("InvalidArgument", `A ${kind.kind} has no field "${path}".${hint}`, {
    details: { usage: `bowline explain ${kind.singular}` },
  });
}

function header(kind: Kind, field: FieldDescription | undefined): Section {
  const rows = [
    `KIND:   ${kind.kind}`,
    ...(field === undefined ? [] : [`FIELD:  ${field.path} <${field.type}>`]),
  ];
  return { entries: rows.map((head) => ({ head })) };
}

function kindDetails(kind: Kind): Section[] {
  const names = [kind.plural, kind.singular, ...kind.shortNames].join(", ");
  const conditions = Object.entries(kind.conditions).map(([head, text]) => ({ head, text, indent: 2 }));
  return [
    { title: "DESCRIPTION:", entries: [{ head: "", text: kind.description, indent: 0 }] },
    { title: "NAMES:", entries: [{ head: "", text: names, indent: 0 }] },
    ...(conditions.length === 0 ? [] : [{ title: "CONDITIONS:", entries: conditions }]),
  ];
}

function fieldDetails(field: FieldDescription): Section[] {
  return [{ title: "DESCRIPTION:", entries: [{ head: "", text: sentencesOf(field), indent: 0 }] }];
}

function fieldList(
  fields: readonly FieldDescription[],
  parent: FieldDescription | undefined,
  { recursive }: ExplainLayout,
): Section[] {
  const start = parent === undefined ? "" : `${plain(parent.path)}.`;
  const below = fields.filter(
    ({ path }) => plain(path).startsWith(start) && plain(path) !== plain(parent?.path ?? ""),
  );
  const shown = below.flatMap((field) => {
    const rest = plain(field.path).slice(start.length);
    const depth = rest.split(".").length - 1;
    if (depth > 0 && !recursive) return [];
    const name = rest.split(".").at(-1) ?? rest;
    const head = `${"  ".repeat(depth)}${name} <${field.type}>${field.required ? " (required)" : ""}`;
    return [{ head, text: recursive ? "" : sentencesOf(field), indent: 2 }];
  });
  return shown.length === 0 ? [] : [{ title: "FIELDS:", entries: shown }];
}

function sentencesOf(field: FieldDescription): string {
  const { description, limits } = field;
  const rules = limits.length === 0 ? "" : ` Must be: ${limits.join("; ").replaceAll("`", "")}.`;
  const initial = field.default === undefined ? "" : ` Default: ${JSON.stringify(field.default)}.`;
  return `${description}${rules}${initial}`;
}

function wrapped({ title, entries }: Section, columns: number): string {
  const inner = title === undefined ? "" : "  ";
  const lines = entries.flatMap(({ head, text = "", indent = 0 }) => [
    ...(head === "" ? [] : [`${inner}${head}`]),
    ...(text === "" ? [] : wrapText(text, { columns, indent: inner.length + indent })),
  ]);
  return [...(title === undefined ? [] : [title]), ...lines].join("\n");
}
