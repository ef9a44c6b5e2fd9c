import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { createTempFolder } from "@bowline/test-services";
import { expect, test } from "vitest";

import { askedQuestions, writeSlowProgram } from "./slow-program.ts";

test.skipIf(process.platform === "win32")(
  "answers what is in its file, and counts what it was asked",
  async () => {
    await using folder = await createTempFolder("slow-program");
    const answer = { state: "creating", message: 'it\'s "on its way"', record: { path: "a\\b" } };
    const path = await writeSlowProgram(folder.path, { delaySeconds: 0.01, answer });
    const ask = async (action: string): Promise<unknown> => {
      const asked = promisify(execFile)(path, [], { cwd: folder.path });
      asked.child.stdin?.end(JSON.stringify({ protocol: 1, action, cluster: { name: "next" } }));
      return JSON.parse((await asked).stdout);
    };
    for (const action of ["observe", "next", "next", "delete"]) expect(await ask(action)).toEqual(answer);
    expect(await askedQuestions(folder.path)).toEqual({ observe: 1, next: 2, other: 1 });
  },
);
