import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Answers every question after a while with what is in a file, as a program does that asks a cloud. The shell does all of
 * it but reading the question and waiting, so that a start costs little.
 */
const script = `#!/bin/sh
read -r delay <delay
read -r answer <answer.json
question=$(cat)
case $question in
  *'"action":"observe"'*) echo observe >>asked ;;
  *'"action":"next"'*) echo next >>asked ;;
  *) echo other >>asked ;;
esac
sleep "$delay"
printf '%s\\n' "$answer"
`;

interface AskedQuestions {
  readonly observe: number;
  readonly next: number;
  readonly other: number;
}

/** A program for the provider `exec` in a folder of its own; resolves to its path. */
export async function writeSlowProgram(
  folder: string,
  { delaySeconds, answer }: { readonly delaySeconds: number; readonly answer: object },
): Promise<string> {
  const path = join(folder, "make-cluster");
  await writeFile(join(folder, "delay"), `${delaySeconds}\n`);
  await writeFile(join(folder, "answer.json"), `${JSON.stringify(answer)}\n`);
  await writeFile(join(folder, "asked"), "");
  await writeFile(path, script);
  await chmod(path, 0o755);
  return path;
}

/** What it has been asked so far: each question is a start of it. */
export async function askedQuestions(folder: string): Promise<AskedQuestions> {
  const lines = (await readFile(join(folder, "asked"), "utf8")).split("\n");
  const of = (action: string): number => lines.filter((line) => line === action).length;
  return { observe: of("observe"), next: of("next"), other: of("other") };
}
