import type { SimulatedContainer } from "./simulated-container.ts";

/** Everything a command may see and say. */
export interface CommandCall {
  readonly words: readonly string[];
  readonly container: SimulatedContainer;
  readonly variables: Map<string, string>;
  readonly nowMs: number;
  readonly isTerminal: boolean;
  /** Where relative paths begin. */
  directory: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** A command that goes on until its input or its time is over. */
export interface LongCommand {
  input(text: string): void;
  endInput(): void;
}

/** Ends at once with a code, or goes on; then it calls back with the code. */
export type Command = (call: CommandCall, done: (code: number) => void) => number | LongCommand;

export const commands: Readonly<Record<string, Command>> = {
  cat,
  cd,
  command: which,
  date: ({ nowMs, out }) => said(out, `${new Date(nowMs).toUTCString()}\n`),
  echo: ({ words, out }) => said(out, `${words.slice(1).join(" ")}\n`),
  env: ({ variables, out }) =>
    said(out, [...variables].map(([name, value]) => `${name}=${value}\n`).join("")),
  export: assign,
  false: () => 1,
  help: ({ out }) => said(out, `A simulated shell. It knows: ${Object.keys(commands).join(" ")} exit exec\n`),
  hostname: ({ container, out }) => said(out, `${container.hostname}\n`),
  id: ({ out }) => said(out, "uid=0(root) gid=0(root) groups=0(root)\n"),
  ls,
  printenv,
  ps,
  pwd: ({ directory, out }) => said(out, `${directory}\n`),
  read,
  true: () => 0,
  uname: ({ words, container, out }) =>
    said(out, words.includes("-a") ? `Linux ${container.hostname} 6.12.0 kubesim GNU/Linux\n` : "Linux\n"),
  whoami: ({ out }) => said(out, "root\n"),
};

function said(out: (text: string) => void, text: string): number {
  out(text);
  return 0;
}

function cat(call: CommandCall, done: (code: number) => void): number | LongCommand {
  const paths = operands(call);
  if (paths.length === 0) return { input: (text) => call.out(text), endInput: () => done(0) };
  let code = 0;
  for (const path of paths) {
    const full = absolute(call.directory, path);
    const content = call.container.files.get(full);
    if (content !== undefined) call.out(content);
    else code = 1;
    const isFolder = content === undefined && childrenOf(call.container, full).length > 0;
    const problem = isFolder
      ? `read error: Is a directory`
      : `can't open '${path}': No such file or directory`;
    if (content === undefined) call.err(`cat: ${problem}\n`);
  }
  return code;
}

function cd(call: CommandCall): number {
  const [path = "/root"] = operands(call);
  const full = absolute(call.directory, path);
  if (full !== "/" && childrenOf(call.container, full).length === 0) {
    call.err(`sh: cd: can't cd to ${path}: No such file or directory\n`);
    return 2;
  }
  call.directory = full;
  return 0;
}

/** `command -v NAME`: where it is, if it is there. */
function which({ words, container, out }: CommandCall): number {
  const name = words.at(-1) ?? "";
  const isKnown = Object.hasOwn(commands, name) || container.shells.includes(name);
  return isKnown ? said(out, `/bin/${name}\n`) : 127;
}

function assign(call: CommandCall): number {
  for (const word of call.words.slice(1)) {
    const [, name, value] = /^(\w+)=(.*)$/su.exec(word) ?? [];
    if (name !== undefined && value !== undefined) call.variables.set(name, value);
  }
  return 0;
}

function ls(call: CommandCall): number {
  const { container, words } = call;
  const flags = words.filter((word) => word.startsWith("-")).join("");
  const paths = operands(call);
  let code = 0;
  for (const path of paths.length === 0 ? ["."] : paths) {
    const full = absolute(call.directory, path);
    const children = childrenOf(container, full);
    if (children.length === 0 && !container.files.has(full) && full !== "/") {
      call.err(`ls: ${path}: No such file or directory\n`);
      code = 1;
      continue;
    }
    const names = container.files.has(full) ? [path] : children;
    const shown = names.filter((name) => flags.includes("a") || !name.startsWith("."));
    call.out(listing(call, full, shown, flags.includes("l")));
  }
  return code;
}

function listing(call: CommandCall, folder: string, names: readonly string[], isLong: boolean): string {
  const { container, isTerminal } = call;
  const entries = names.map((name) => {
    const full = absolute(folder, name);
    const isFolder = !container.files.has(full) && !container.files.has(folder);
    const size = (container.files.get(full) ?? container.files.get(folder) ?? "").length;
    const shown = isFolder && isTerminal ? `\u001B[1;34m${name}\u001B[m` : name;
    return isLong
      ? `${isFolder ? "drwxr-xr-x    1" : "-rw-r--r--    1"} root     root     ${String(size).padStart(8)} ${shown}`
      : shown;
  });
  if (entries.length === 0) return "";
  return `${entries.join(isTerminal && !isLong ? "  " : "\n")}\n`;
}

function printenv({ words, variables, out }: CommandCall): number {
  const names = words.slice(1);
  const shown = names.length === 0 ? [...variables.values()] : names.map((name) => variables.get(name));
  out(
    shown
      .filter((value) => value !== undefined)
      .map((value) => `${value}\n`)
      .join(""),
  );
  return shown.includes(undefined) ? 1 : 0;
}

function ps({ container, out }: CommandCall): number {
  const [shell = "sh"] = container.shells.toReversed();
  return said(
    out,
    `PID   USER     TIME  COMMAND\n    1 root      0:00 ${container.mainCommand}\n   17 root      0:00 ${shell}\n   23 root      0:00 ps\n`,
  );
}

/** Takes one line into a variable. */
function read(call: CommandCall, done: (code: number) => void): LongCommand {
  const [name = "REPLY"] = operands(call);
  let typed = "";
  return {
    input(text) {
      typed += text;
      const end = typed.indexOf("\n");
      if (end === -1) return;
      call.variables.set(name, typed.slice(0, end));
      done(0);
    },
    endInput: () => done(1),
  };
}

function operands({ words }: CommandCall): string[] {
  return words.slice(1).filter((word) => !word.startsWith("-"));
}

function absolute(directory: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${path.startsWith("/") ? "" : `${directory}/`}${path}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** The names in a folder. Folders are there by the files that are below them. */
function childrenOf({ files }: SimulatedContainer, folder: string): string[] {
  const prefix = folder === "/" ? "/" : `${folder}/`;
  const below = [...files.keys()].filter((path) => path.startsWith(prefix));
  return [...new Set(below.map((path) => path.slice(prefix.length).split("/")[0] ?? ""))].toSorted();
}
