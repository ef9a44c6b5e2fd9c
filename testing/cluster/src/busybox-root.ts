import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { programFiles, type TarEntry } from "@bowline/packaging";
import { requireProgram } from "@bowline/test-services";
import { busyboxProgram } from "./cluster-programs.ts";

const foldersOfRoot = [
  "bin",
  "dev",
  "etc",
  "lib",
  "lib64",
  "proc",
  "root",
  "run",
  "sys",
  "tmp",
  "usr",
  "var",
];

/** A root file system with the shell and the small tools of busybox. */
export async function busyboxRoot(): Promise<TarEntry[]> {
  const busybox = await requireProgram(busyboxProgram);
  const { stdout } = await promisify(execFile)(busybox, ["--list"], { timeout: 10_000 });
  const tools = stdout.split("\n").filter((name) => name !== "" && name !== "busybox");
  return [
    ...foldersOfRoot.map((path): TarEntry => ({
      type: "folder",
      path,
      mode: path === "tmp" ? 0o1777 : 0o755,
    })),
    { type: "file", path: "etc/passwd", content: Buffer.from("root:x:0:0:root:/root:/bin/sh\n") },
    { type: "file", path: "etc/group", content: Buffer.from("root:x:0:\n") },
    ...(await programFiles(busybox, "bin/busybox")),
    ...tools.map((name): TarEntry => ({ type: "link", path: `bin/${name}`, target: "busybox" })),
  ];
}
