import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";

import { newPhaseContext } from "../testing/phase-context.ts";
import { composeService } from "./compose-service.ts";
import type { LocalService } from "./local-service.ts";

let home: string;
let data: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "bowline-compose-"));
  data = join(home, "data");
  await mkdir(join(home, "bin"));
  await mkdir(data);
  // An engine that writes down what it is asked.
  const script = `#!/bin/sh\necho "$@" >> '${home}/asked'\n`;
  await writeFile(join(home, "bin/docker"), script, { mode: 0o755 });
});
afterEach(() => rm(home, { recursive: true }));

function service(path = `${join(home, "bin")}${delimiter}/usr/bin${delimiter}/bin`): LocalService {
  const image = "registry.example.com/bowline:1.2.3";
  const options = { service: "compose", listen: "127.0.0.1:7443", data, url: undefined, image } as const;
  return composeService(options, {
    name: "local",
    environment: { HOME: home, PATH: path },
    version: "1.2.3",
  });
}

const asked = async (): Promise<string[]> =>
  (await readFile(join(home, "asked"), "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(`compose --project-name bowline-local -f ${data}/compose.yaml `, ""));

test("a compose file is written with its token beside it, run, and taken away", async () => {
  const context = newPhaseContext("i-1");
  await service().check(context);
  await service().start(context);
  const file: { readonly services: { readonly server: Readonly<Record<string, unknown>> } } = parse(
    await readFile(join(data, "compose.yaml"), "utf8"),
  );
  expect(file.services.server).toMatchObject({
    image: "registry.example.com/bowline:1.2.3",
    ports: ["127.0.0.1:7443:7443"],
    labels: { "bowline.dev/installation": "i-1" },
    // Its end would take 5 seconds in which nobody could do anything.
    environment: { BOWLINE_DRAIN_DELAY: "0s" },
  });
  const token = await readFile(join(data, "secrets/admin/token"), "utf8");
  expect(token).toMatch(/^bwl_\w{49}\n$/u);
  expect((await stat(join(data, "secrets"))).mode & 0o777).toBe(0o700);
  await service().start(context);
  expect(await readFile(join(data, "secrets/admin/token"), "utf8")).toBe(token);
  await service().remove(context, { deleteData: false });
  expect(await readdir(data)).toEqual(["compose.yaml", "secrets"]);
  await service().remove(context, { deleteData: true });
  expect(await readdir(data)).toEqual([]);
  await service().remove(context, { deleteData: true });
  expect(await asked()).toEqual([
    "compose version",
    "info --format {{.ServerVersion}}",
    "up --detach --remove-orphans",
    "up --detach --remove-orphans",
    "down",
    "down --volumes",
  ]);
});

test("a compose file of somebody else is neither written over, nor run, nor taken away", async () => {
  const file = join(data, "compose.yaml");
  await writeFile(file, "services: {}\n");
  await expect(service().start(newPhaseContext("i-1"))).rejects.toMatchObject({
    code: "AlreadyExists",
    message: expect.stringContaining("choose another --data"),
  });
  expect(await service().isRunning(newPhaseContext("i-1"))).toBe(false);
  await service().remove(newPhaseContext("i-1"), { deleteData: true });
  expect(await readFile(file, "utf8")).toBe("services: {}\n");
  await expect(stat(join(home, "asked"))).rejects.toMatchObject({ code: "ENOENT" });
});

test("a machine without an engine is told what is missing", async () => {
  const without = service(join(home, "none")).check(newPhaseContext("i-1"));
  await expect(without).rejects.toThrow("There is no `docker` on this machine; install Docker");
  const script =
    "#!/bin/sh\n[ $1 = compose ] && exit 0\necho 'Cannot connect to the Docker daemon' >&2\nexit 1\n";
  await writeFile(join(home, "bin/docker"), script, { mode: 0o755 });
  await expect(service().check(newPhaseContext("i-1"))).rejects.toThrow(
    "Cannot connect to the Docker daemon; install",
  );
});
