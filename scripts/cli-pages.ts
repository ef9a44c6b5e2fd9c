import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { allCommands } from "../apps/cli/src/commands/command-list.ts";
import {
  describeProgram,
  type CommandDescription,
  type FlagDescription,
} from "../apps/cli/src/program/describe-program.ts";
import { renderExamples } from "../apps/cli/src/command/command-set.ts";
import { formattedFiles } from "./formatted-files.ts";
import { markdownTable } from "./markdown-table.ts";
import { withBlock } from "./page-block.ts";
import type { StaleFile } from "./stale-file.ts";

const folder = "docs/reference/cli";
const overview = "README.md";

/** The pages of the `bowline` command that are not what the program itself says. */
export async function staleCliPages(root: string): Promise<StaleFile[]> {
  const program = await describeProgram(allCommands);
  const written = readFileSync(join(root, folder, overview), "utf8");
  const pages = formattedFiles(
    new Map([
      [overview, overviewPage(written, program)],
      ...program.commands.map((command) => [pageName(command), commandPage(command)] as const),
    ]),
  );
  const present = new Map(
    readdirSync(join(root, folder)).map((name) => [name, readFileSync(join(root, folder, name), "utf8")]),
  );
  const names = [...new Set([...present.keys(), ...pages.keys()])].toSorted();
  return names
    .filter((name) => present.get(name) !== pages.get(name))
    .map((name) => ({ path: `${folder}/${name}`, content: pages.get(name) }));
}

function pageName({ path }: CommandDescription): string {
  return `${path.split(" ").at(-1)}.md`;
}

function overviewPage(page: string, program: CommandDescription): string {
  const groups = Map.groupBy(program.commands, ({ group }) => group);
  const lists = [...groups].map(([group, commands]) =>
    [
      `### ${group}`,
      commands
        .map((command) => `- [\`${command.path}\`](${pageName(command)}): ${command.summary}`)
        .join("\n"),
    ].join("\n\n"),
  );
  return withBlock(withBlock(page, "commands", lists.join("\n\n")), "global flags", flagTable(program.flags));
}

function commandPage(command: CommandDescription): string {
  return [
    "<!-- Written by `npm run generate` from the command itself: change it there. -->",
    ...sections(command, 1),
    `The [global flags](${overview}#global-flags) work with it too.`,
  ].join("\n\n");
}

function sections(command: CommandDescription, level: number): string[] {
  const { path, usage, description, examples, aliases, commands } = command;
  const mark = "#".repeat(level);
  return [
    `${mark} ${path}`,
    description,
    fenced("", `${path} ${usage}`.trimEnd()),
    ...(aliases.length === 0 ? [] : [`Also \`${aliases.join("`, `")}\`.`]),
    ...titled(`${mark}# Arguments`, argumentTable(command)),
    ...titled(`${mark}# Flags`, flagTable(command.flags)),
    ...titled(
      `${mark}# Examples`,
      examples.length === 0 ? "" : fenced("sh", renderExamples(examples).replaceAll(/^ {2}/gm, "")),
    ),
    ...commands.flatMap((below) => sections(below, level + 1)),
  ];
}

function titled(title: string, content: string): string[] {
  return content === "" ? [] : [title, content];
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function argumentTable({ arguments: rows }: CommandDescription): string {
  if (rows.length === 0) return "";
  return markdownTable(
    ["Argument", "What it is"],
    rows.map(({ name, description }) => [`\`${name}\``, description]),
  );
}

function flagTable(flags: readonly FlagDescription[]): string {
  if (flags.length === 0) return "";
  return markdownTable(
    ["Flag", "Default", "What it does"],
    flags.map((flag) => [
      `\`${flag.flags}\``,
      flag.default === "" ? "" : `\`${flag.default}\``,
      flag.description,
    ]),
  );
}
