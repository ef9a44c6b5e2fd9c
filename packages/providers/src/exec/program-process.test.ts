import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { expect, test } from "vitest";

test.runIf(process.platform === "linux")(
  "a program that cannot be started for a lack of files ends nobody else",
  async () => {
    const script = fileURLToPath(new URL("testing/without-files.ts", import.meta.url));
    const shell = ["-c", 'ulimit -n 64 && exec "$0" "$1"', process.execPath, script];
    const { stdout } = await promisify(execFile)("/bin/sh", shell);
    expect(JSON.parse(stdout)).toEqual({ kind: "not started", code: "EMFILE" });
  },
);
