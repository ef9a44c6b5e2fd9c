import type { Clock } from "@bowline/core";

import { LineEditor } from "./line-editor.ts";
import { commands, type CommandCall, type LongCommand } from "./shell-commands.ts";
import { expandWords, parseScript, ShellSyntaxError, type ShellStep, type Target } from "./shell-words.ts";
import type { SimulatedContainer } from "./simulated-container.ts";

interface ExecOutput {
  out(bytes: Buffer): void;
  err(bytes: Buffer): void;
  /** Told once; nothing is told after it. */
  exit(code: number): void;
}

export interface ShellOptions {
  readonly container: SimulatedContainer;
  readonly clock: Clock;
  readonly isTerminal: boolean;
  readonly output: ExecOutput;
}

const notFound = 127;
const longestSleepSeconds = 3600;

/** A process in a simulated container: a shell, or one command that was started without one. */
export class Shell {
  readonly #options: ShellOptions;
  readonly #variables: Map<string, string>;
  readonly #editor: LineEditor;
  readonly #decoder = new TextDecoder();
  /** What is left of the lines that were read. */
  #steps: ShellStep[] = [];
  #code = 0;
  #directory = "/";
  /** Shells that ask for lines, the innermost last; none where a script or a command is all. */
  #shells: string[] = [];
  #foreground: LongCommand | undefined;
  #cancelSleep = (): void => {};
  /** What came before anybody wanted it. */
  #typed = "";
  #hasInputEnded = false;
  #isOver = false;

  constructor(options: ShellOptions) {
    this.#options = options;
    this.#variables = new Map(options.container.environment);
    if (options.isTerminal) this.#variables.set("TERM", "xterm");
    this.#editor = new LineEditor({
      echo: (text) => this.#print("out", text),
      line: (text) => this.#take(`${text}\n`),
      interrupt: () => this.#interrupt(),
      end: () => this.endInput(),
      cleared: () => this.#prompt(),
    });
  }

  /** Runs one command, as `exec` does: a shell if it names one. */
  start(command: readonly string[]): void {
    this.#steps = [{ connector: ";", words: command.map((word) => [word]), out: "out", err: "err" }];
    this.#continue();
  }

  input(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (this.#isOver || this.#hasInputEnded) return;
    if (this.#options.isTerminal) this.#editor.type(text);
    else this.#take(text);
  }

  endInput(): void {
    if (this.#hasInputEnded || this.#isOver) return;
    // In a terminal the end is for the command that reads; the next one can read again.
    if (!this.#options.isTerminal || this.#foreground === undefined) this.#hasInputEnded = true;
    if (this.#foreground === undefined) this.#continue();
    else this.#foreground.endInput();
  }

  /** Ends it from outside, as a container takes its processes with it. */
  kill(): void {
    this.#exit(137);
  }

  #take(text: string): void {
    if (this.#foreground !== undefined) {
      this.#foreground.input(text);
      return;
    }
    this.#typed += text;
    if (this.#shells.length > 0) this.#continue();
  }

  #interrupt(): void {
    this.#cancelSleep();
    this.#foreground = undefined;
    this.#steps = [];
    this.#code = 130;
    this.#continue();
  }

  /** Goes on until something has to be waited for. */
  #continue(): void {
    while (!this.#isOver && this.#foreground === undefined) {
      const step = this.#steps.shift();
      if (step !== undefined) {
        if (isDue(step, this.#code)) this.#run(step);
      } else if (!this.#readLine()) return;
    }
  }

  /** The next line of those that were typed; false where there is none yet. */
  #readLine(): boolean {
    if (this.#shells.length === 0) {
      this.#exit(this.#code);
      return false;
    }
    const end = this.#typed.indexOf("\n");
    if (end === -1) {
      if (this.#hasInputEnded) this.#exit(this.#code);
      else this.#prompt();
      return false;
    }
    const line = this.#typed.slice(0, end);
    this.#typed = this.#typed.slice(end + 1);
    this.#parse(line);
    return true;
  }

  #parse(script: string): void {
    try {
      this.#steps.unshift(...parseScript(script));
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      this.#print("err", `sh: ${error.message}\n`);
      this.#code = 2;
    }
  }

  #run(step: ShellStep): void {
    const words = expandWords(step.words, (variable) => this.#valueOf(variable));
    const [first = "", ...rest] = words;
    if (first === "exec") this.#replace();
    const [name = "", ...args] = first === "exec" ? rest : words;
    const shell = shellName(name);
    if (name === "exit") this.#leave(exitCode(args[0], this.#code));
    else if (this.#options.container.shells.includes(shell)) this.#openShell(shell, args);
    else if (/^\w+=/u.test(name)) this.#code = this.#call(step, ["export", name, ...args]);
    else this.#code = this.#call(step, [name, ...args]);
  }

  /** `exec`: what comes now is all that is left of this shell. */
  #replace(): void {
    this.#steps = [];
    this.#shells.pop();
  }

  #leave(code: number): void {
    this.#code = code;
    this.#replace();
    if (this.#shells.length === 0) this.#exit(code);
  }

  /** `sh` asks for lines from now on; `sh -c` runs one and is done. */
  #openShell(name: string, args: readonly string[]): void {
    const [flag, script] = args;
    this.#code = 0;
    if (flag === "-c" && script !== undefined) this.#parse(script);
    else this.#shells.push(name);
  }

  #valueOf(variable: string): string {
    return variable === "?" ? String(this.#code) : (this.#variables.get(variable) ?? "");
  }

  #call(step: ShellStep, words: readonly string[]): number {
    const name = shellName(words[0] ?? "");
    if (name === "sleep") return this.#sleep(words[1]);
    const command = isCommand(name) ? commands[name] : undefined;
    if (command === undefined) {
      this.#print(step.err, `sh: ${name}: not found\n`);
      return notFound;
    }
    const call: CommandCall = {
      words,
      container: this.#options.container,
      variables: this.#variables,
      nowMs: this.#options.clock.now(),
      isTerminal: this.#options.isTerminal,
      directory: this.#directory,
      out: (text) => this.#print(step.out, text),
      err: (text) => this.#print(step.err, text),
    };
    const result = command(call, (code) => this.#ended(code));
    this.#directory = call.directory;
    if (typeof result === "number") return result;
    this.#wait(result);
    return this.#code;
  }

  #sleep(seconds: string | undefined): number {
    const ms = Math.min(Number(seconds) || 0, longestSleepSeconds) * 1000;
    this.#cancelSleep = this.#options.clock.after(ms, () => this.#ended(0));
    this.#foreground = { input: (text) => (this.#typed += text), endInput: () => undefined };
    return 0;
  }

  #wait(command: LongCommand): void {
    const typed = this.#typed;
    this.#typed = "";
    this.#foreground = command;
    if (typed !== "") command.input(typed);
    if (this.#hasInputEnded) this.#foreground?.endInput();
  }

  #ended(code: number): void {
    this.#foreground = undefined;
    this.#code = code;
    this.#continue();
  }

  #prompt(): void {
    if (!this.#options.isTerminal) return;
    const { hostname } = this.#options.container;
    this.#print(
      "out",
      this.#shells.at(-1) === "bash" ? `root@${hostname}:${this.#directory}# ` : `${this.#directory} # `,
    );
  }

  #print(target: Target, text: string): void {
    if (this.#isOver || target === "nowhere" || text === "") return;
    const { isTerminal, output } = this.#options;
    if (isTerminal) output.out(Buffer.from(text.replaceAll("\n", "\r\n")));
    else output[target](Buffer.from(text));
  }

  #exit(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelSleep();
    this.#options.output.exit(code);
  }
}

/** Whether a command can be started without a shell; the words that only a shell knows are no programs. */
export function hasProgram({ shells }: SimulatedContainer, name: string): boolean {
  const program = shellName(name);
  return shells.includes(program) || program === "sleep" || (isCommand(program) && !shellWords.has(program));
}

const shellWords = new Set(["cd", "command", "export", "help", "read"]);

function isCommand(name: string): boolean {
  return Object.hasOwn(commands, name);
}

function isDue({ connector }: ShellStep, code: number): boolean {
  return connector === ";" || (connector === "&&" ? code === 0 : code !== 0);
}

function shellName(path: string): string {
  return path.replace(/^(?:\/usr)?\/bin\//u, "");
}

function exitCode(word: string | undefined, last: number): number {
  return word !== undefined && /^\d+$/u.test(word) ? Number(word) % 256 : last;
}
