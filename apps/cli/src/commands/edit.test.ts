import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Cluster } from "@bowline/api";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { startObjectServer, type ObjectServer } from "../testing/object-server.ts";

let server: ObjectServer;
let folder: string;
beforeAll(async () => {
  server = await startObjectServer();
  folder = await mkdtemp(join(tmpdir(), "bowline-editor-"));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await server.client.apply(Cluster, "a", { metadata: { name: "a" }, spec: { region: "eu-1" } });
  await rm(join(folder, "turns"), { force: true });
});

/** An editor that runs one command on the file each time it is opened, and keeps what it was shown. */
async function edit(
  ...turns: readonly string[]
): Promise<Awaited<ReturnType<ObjectServer["bowline"]>> & { shown: string[] }> {
  const script = [
    "#!/bin/sh",
    `turn=$(($(cat '${folder}/turns' 2>/dev/null || echo 0) + 1)); echo $turn > '${folder}/turns'`,
    `cp "$2" '${folder}/shown-'$turn`,
    "case $turn in",
    ...turns.map((command, index) => `${index + 1}) ${command} ;;`),
    "*) exit 9 ;;",
    "esac",
  ];
  await writeFile(join(folder, "editor"), script.join("\n"), { mode: 0o700 });
  // With a flag, as people have it in EDITOR.
  const ran = await server.bowline(["edit", "cluster", "a"], {
    environment: { EDITOR: `'${folder}/editor' --wait` },
  });
  const opened = Number(await readFile(join(folder, "turns"), "utf8"));
  const shown = Array.from({ length: opened }, (_, index) =>
    readFile(join(folder, `shown-${index + 1}`), "utf8"),
  );
  return { ...ran, shown: await Promise.all(shown) };
}

async function region(): Promise<string | undefined> {
  return (await server.client.get(Cluster, "a")).spec.region;
}

describe("edit", () => {
  test("writes what was changed in the editor", async () => {
    const ran = await edit(`sed -i s/eu-1/eu-2/ "$2"`);
    expect(ran).toMatchObject({ code: 0, out: "cluster/a edited\n", error: "" });
    expect(await region()).toBe("eu-2");
    expect(ran.shown[0]).toContain("kind: Cluster\nmetadata:\n  name: a\n");
    expect(ran.shown[0]).not.toContain("resourceVersion");
  });

  test.each([
    ["nothing was changed", "true", "Nothing was changed.\n"],
    ["the file was emptied", `: > "$2"`, "Nothing was changed: the file is empty.\n"],
  ])("writes nothing when %s", async (_, command, error) => {
    expect(await edit(command)).toMatchObject({ code: 0, out: "", error });
  });

  test("opens the file again with what was wrong, until it is right", async () => {
    const ran = await edit(
      `sed -i s/region:/regoin:/ "$2"`,
      `sed -i s/name:/nam:/ "$2"`,
      `sed -i 's/nam:/name:/; s/regoin: eu-1/region: eu-3/' "$2"`,
    );
    expect(ran).toMatchObject({ code: 0, out: "cluster/a edited\n" });
    expect(ran.shown[1]).toMatch(
      /^# Save this file[^\n]*\n#\n# It was refused:\n# .*spec\.regoin is an unknown field/,
    );
    expect(ran.shown[2]).toContain("metadata.name is missing");
    expect(ran.shown[2]?.match(/It was refused/g)).toHaveLength(1);
    expect(await region()).toBe("eu-3");
  });

  test("keeps the file of somebody who gives up", async () => {
    const { code, error } = await edit(`sed -i s/region:/regoin:/ "$2"`, "true");
    expect(code).toBe(1);
    const path = /What you wrote is in (\S+)\.\n$/.exec(error)?.[1] ?? "";
    expect(await readFile(path, "utf8")).toContain("regoin: eu-1");
    await rm(join(path, ".."), { recursive: true });
  });

  test("does not write over what somebody else has changed meanwhile", async () => {
    const script = join(folder, "patch.mjs");
    const request = {
      method: "PATCH",
      headers: {
        "content-type": "application/merge-patch+json",
        authorization: `Bearer ${server.environment["BOWLINE_TOKEN"]}`,
      },
      body: '{"spec":{"region":"eu-9"}}',
    };
    const url = `${server.client.server}/api/v1/clusters/a`;
    await writeFile(script, `await fetch(${JSON.stringify(url)}, ${JSON.stringify(request)});`);
    const patch = `'${process.execPath}' '${script}'`;
    const { code, error } = await edit(`${patch} && sed -i s/eu-1/eu-2/ "$2"`);
    expect(code).toBe(1);
    expect(error).toContain("Somebody else has changed the object meanwhile");
    const path = /What you wrote is in (\S+)\.\n$/.exec(error)?.[1] ?? "";
    expect(await readFile(path, "utf8")).toContain("region: eu-2");
    await rm(join(path, ".."), { recursive: true });
    expect(await region()).toBe("eu-9");
  });

  test("says so when the editor fails or is not there", async () => {
    expect((await edit("exit 3")).error).toContain("ended with exit code 3");
    const missing = await server.bowline(["edit", "cluster/a"], {
      environment: { EDITOR: "no-such-editor" },
    });
    expect(missing).toMatchObject({ code: 1 });
    expect(missing.error).toContain("The editor no-such-editor was not found; set EDITOR");
  });

  test("leaves no file behind", async () => {
    await edit(`echo "$2" > '${folder}/path'; sed -i s/eu-1/eu-4/ "$2"`);
    const path = (await readFile(join(folder, "path"), "utf8")).trim();
    await expect(access(path)).rejects.toThrow("ENOENT");
  });
});

test.each([[["cluster"]], [["cluster", "a", "b"]], [["all"]]])(
  "edit takes one object, not %j",
  async (args) => {
    expect((await server.bowline(["edit", ...args])).code).toBe(2);
  },
);
