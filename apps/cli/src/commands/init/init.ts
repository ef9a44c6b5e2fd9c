import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { BowlineError, hasCode, ownFile, readOwnFile } from "@bowline/core";
import { appTypes } from "@bowline/render";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { printableLine } from "../../output/terminal-text.ts";

export function addInitCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("init")
    .usage("[FOLDER]")
    .description(
      "Begin a program that makes Kubernetes objects: write an app.ts with its test, the types it uses and what an editor needs. Files that are there are never written over.\n\nNothing has to be installed to run it; npm install brings the types of Kubernetes objects for the editor and for npm run check.",
    )
    .argument("[FOLDER]", "Where to write it; made if it is missing", ".")
    .action((folder: string) => init(context, folder));
  addExamples(command, [
    {
      does: "Begin a program, test it, and see what it makes",
      run: "bowline init shop && cd shop\nnode --test\nbowline render app.ts --set replicas:integer=3",
    },
  ]);
}

/** Where each file comes from: a template beside this file, or the types that the package itself has. */
const sources: readonly (readonly [name: string, source: URL])[] = [
  ["app.ts", ownFile("init/app.ts", new URL("./template/app.ts", import.meta.url))],
  ["app.test.ts", ownFile("init/app-test.ts", new URL("./template/app-test.ts", import.meta.url))],
  ["bowline.ts", appTypes],
  ["package.json", ownFile("init/package.json", new URL("./template/package.json", import.meta.url))],
  ["tsconfig.json", ownFile("init/tsconfig.json", new URL("./template/tsconfig.json", import.meta.url))],
  ["README.md", ownFile("init/README.md", new URL("./template/README.md", import.meta.url))],
];

async function init({ terminal }: CommandContext, folder: string): Promise<void> {
  for (const [name] of sources) {
    if (await isThere(join(folder, name))) throw alreadyThere(join(folder, name));
  }
  await mkdir(folder, { recursive: true });
  for (const [name, source] of sources) {
    const path = join(folder, name);
    try {
      await writeFile(path, await readOwnFile(source), { flag: "wx" });
    } catch (thrown) {
      throw hasCode(thrown, "EEXIST") ? alreadyThere(path) : thrown;
    }
    terminal.out(`${printableLine(path)} written\n`);
  }
  terminal.error(`See what it makes: bowline render ${printableLine(join(folder, "app.ts"))}\n`);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function alreadyThere(path: string): BowlineError {
  return new BowlineError(
    "AlreadyExists",
    `${printableLine(path)} is there already; choose an empty folder, or take the file away.`,
  );
}
