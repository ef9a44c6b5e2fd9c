/** Checks every import of the workspace against `boundary-rules.ts`; exits 1 and names each one that breaks them. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { boundaryRules, testingFolders } from "./boundary-rules.ts";

export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly problem: string;
}

interface Import {
  readonly specifier: string;
  readonly lazy: boolean;
  readonly line: number;
}

const importPattern = /(?:\bfrom\s*|\bimport\s*)"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/g;

function importsOf(source: string): Import[] {
  return Array.from(source.matchAll(importPattern), (match) => ({
    specifier: match[1] ?? match[2] ?? "",
    lazy: match[2] !== undefined,
    line: source.slice(0, match.index).split("\n").length,
  }));
}

const isTest = (file: string): boolean => /\.test\.ts$|\/src\/(?:.*\/)?testing\//.test(file);

function checkImport(
  file: string,
  folder: string,
  found: Import,
  folders: ReadonlyMap<string, string>,
): string | undefined {
  const { specifier, lazy } = found;
  if (specifier.startsWith(".")) {
    const target = posix.join(posix.dirname(file), specifier);
    return target.startsWith(`${folder}/`)
      ? undefined
      : `imports ${specifier}, which lies outside ${folder}; import the package by its name`;
  }
  const owner = [...folders].find(([name]) => specifier === name || specifier.startsWith(`${name}/`));
  if (owner === undefined) return undefined;
  const [name, target] = owner;
  if (specifier.startsWith(`${name}/src/`))
    return `imports ${specifier}; only what ${name} exports may be used`;
  if (target === folder) return undefined;
  const rule = boundaryRules[folder];
  if (rule?.may.includes(target)) return undefined;
  if (rule?.lazily?.includes(target)) {
    return lazy ? undefined : `imports ${target} at start; ${folder} may only load it with await import()`;
  }
  if (isTest(file) && testingFolders.includes(target)) return undefined;
  return `imports ${target}; ${folder} may not (scripts/boundary-rules.ts)`;
}

/** The folder of `src` that a file is in; undefined for those beside the folders, which may import and be imported. */
function roomOf(file: string): string | undefined {
  return /\/src\/([^/]+)\//.exec(file)?.[1];
}

/**
 * Folders of one workspace that import each other, directly or around a corner. Tests are not asked: they may use what
 * stands above the thing they test.
 */
function findCycles(root: string, folder: string): Violation[] {
  const imports = new Map<string, Map<string, { readonly file: string; readonly line: number }>>();
  for (const file of sourceFiles(root, folder)) {
    const room = roomOf(file);
    if (room === undefined || isTest(file)) continue;
    for (const { specifier, line } of importsOf(readFileSync(join(root, file), "utf8"))) {
      const target = specifier.startsWith(".") ? posix.join(posix.dirname(file), specifier) : "";
      const other = target.startsWith(`${folder}/`) ? roomOf(target) : undefined;
      if (other === undefined || other === room) continue;
      const ofRoom = imports.get(room) ?? new Map<string, { readonly file: string; readonly line: number }>();
      imports.set(room, ofRoom);
      if (!ofRoom.has(other)) ofRoom.set(other, { file, line });
    }
  }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
    if (seen.has(from)) return false;
    seen.add(from);
    const next = [...(imports.get(from)?.keys() ?? [])];
    return next.includes(to) || next.some((room) => reaches(room, to, seen));
  };
  return [...imports].flatMap(([room, others]) =>
    [...others]
      .filter(([other]) => reaches(other, room))
      .map(([other, { file, line }]) => ({
        file,
        line,
        problem: `imports ${other}/, which imports ${room}/ as well; folders of one workspace import each other one way`,
      })),
  );
}

function sourceFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

function workspaceFolders(root: string): string[] {
  const parents = ["packages", "apps", "testing"].filter((parent) => readdirSync(root).includes(parent));
  const nested = parents.flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  return [...nested, ...readdirSync(root).filter((name) => name === "bench" || name === "packaging")];
}

export function findViolations(root: string): Violation[] {
  const folders = workspaceFolders(root);
  const byName = new Map(
    folders.map((folder) => {
      const manifest: { name: string } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
      return [manifest.name, folder];
    }),
  );
  return folders.flatMap((folder) => {
    if (boundaryRules[folder] === undefined) {
      return [{ file: folder, line: 1, problem: "has no rule in scripts/boundary-rules.ts" }];
    }
    return [
      ...sourceFiles(root, folder).flatMap((file) => checkFile(root, file, folder, byName)),
      ...(boundaryRules[folder]?.allowsCycles === true ? [] : findCycles(root, folder)),
    ];
  });
}

function checkFile(
  root: string,
  file: string,
  folder: string,
  byName: ReadonlyMap<string, string>,
): Violation[] {
  const source = readFileSync(join(root, file), "utf8");
  const violations: Violation[] = [];
  for (const found of importsOf(source)) {
    const problem = checkImport(file, folder, found, byName);
    if (problem !== undefined) violations.push({ file, line: found.line, problem });
  }
  if (folder.startsWith("packages/") && boundaryRules[folder]?.listens !== true && !isTest(file)) {
    const listening = source.search(/\.listen\(/);
    if (listening >= 0) {
      const line = source.slice(0, listening).split("\n").length;
      violations.push({
        file,
        line,
        problem: "calls listen(); libraries are handed their sockets by an app",
      });
    }
  }
  return violations;
}

if (import.meta.main) {
  const root = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
  const violations = findViolations(root);
  for (const { file, line, problem } of violations) console.error(`${file}:${line} ${problem}`);
  if (violations.length > 0) process.exitCode = 1;
}
