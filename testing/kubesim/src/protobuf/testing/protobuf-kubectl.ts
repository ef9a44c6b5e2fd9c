import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export const noSuchKubectl =
  "no kubectl of 1.32 or newer, which would send protobuf, is installed; set KUBECTL to one";

/** The first minor version whose commands send protobuf wherever they can. */
const firstMinor = 32;
const limitMs = 30_000;

export interface KubectlInput {
  readonly kubeconfigPath: string;
  /** Where kubectl keeps its caches. */
  readonly home: string;
  readonly stdin?: string;
}

/** A kubectl that sends protobuf: that of `KUBECTL`, or the first such in the PATH. */
export async function findProtobufKubectl(): Promise<string | undefined> {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const candidates = [process.env["KUBECTL"] ?? "", ...folders.map((folder) => join(folder, "kubectl"))];
  for (const program of candidates)
    if (isExecutable(program) && (await sendsProtobuf(program))) return program;
  return undefined;
}

async function sendsProtobuf(program: string): Promise<boolean> {
  const printed = await run(program, ["version", "--client", "--output", "json"], {});
  const [, minor = "0"] = /"minor": "(\d+)/.exec(printed) ?? [];
  return Number(minor) >= firstMinor;
}

/** What a kubectl that must succeed printed. */
export function runKubectl(program: string, args: readonly string[], input: KubectlInput): Promise<string> {
  return run(program, ["--kubeconfig", input.kubeconfigPath, ...args], input);
}

function run(program: string, args: readonly string[], input: Partial<KubectlInput>): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: input.home ?? "/nonexistent", LC_ALL: "C" };
    const child = execFile(program, args, { env, timeout: limitMs }, (error, stdout, stderr) => {
      if (error) reject(new Error(`kubectl ${args.join(" ")}: ${stderr}${stdout}`, { cause: error }));
      else resolve(stdout);
    });
    child.stdin?.end(input.stdin ?? "");
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
