import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

import { afterEach, beforeEach, expect, test } from "vitest";

import { hasProgram } from "../../kubeconfig/credential-program.ts";
import { newPhaseContext } from "../testing/phase-context.ts";
import { isRunBySystemd, systemdService } from "./systemd-service.ts";
import { systemdUnit } from "./systemd-unit.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "bowline-systemd-"));
  await mkdir(join(home, "bin"));
  // A systemctl that writes down what it is asked.
  const script = `#!/bin/sh\necho "$@" >> '${home}/asked'\n`;
  await writeFile(join(home, "bin/systemctl"), script, { mode: 0o755 });
});
afterEach(() => rm(home, { recursive: true }));

function service() {
  const options = {
    service: "systemd",
    listen: "127.0.0.1:7443",
    data: join(home, "my data"),
    url: undefined,
    image: "",
  } as const;
  const environment = { HOME: home, PATH: `${join(home, "bin")}${delimiter}/usr/bin${delimiter}/bin` };
  return systemdService(options, { name: "local", environment, isSystem: false });
}

const asked = async (): Promise<string[]> =>
  (await readFile(join(home, "asked"), "utf8")).trimEnd().split("\n");
const units = (): Promise<string[]> => readdir(join(home, ".config/systemd/user"));

test("a unit is written, started now and from now on, and taken away again", async () => {
  const context = newPhaseContext("i-1");
  await service().check(context);
  expect(await service().start(context)).toContain("enable-linger");
  expect(await units()).toEqual(["bowline-local.service"]);
  const text = await readFile(join(home, ".config/systemd/user/bowline-local.service"), "utf8");
  expect(text).toContain(`server --listen 127.0.0.1:7443 --data "${home}/my data"\n`);
  expect(text).toContain("Environment=BOWLINE_INSTALLATION=i-1\n");
  expect(await asked()).toEqual([
    "--user show --property Version",
    "--user daemon-reload",
    "--user enable --now bowline-local.service",
  ]);
  await service().start(context);
  await service().remove(context, { deleteData: false });
  await service().remove(context, { deleteData: false });
  expect(await units()).toEqual([]);
  expect((await asked()).slice(-2)).toEqual([
    "--user disable --now bowline-local.service",
    "--user daemon-reload",
  ]);
  expect(context.ledger.existing()).toEqual([]);
});

test("a systemd that does not answer is found out before anything is written", async () => {
  const script = "#!/bin/sh\necho 'Failed to connect to bus: No medium found' >&2; exit 1\n";
  await writeFile(join(home, "bin/systemctl"), script);
  await expect(service().check(newPhaseContext("i-1"))).rejects.toMatchObject({
    code: "MissingProgram",
    message: expect.stringMatching(/No medium found; .*`bowline up --service process`/u),
  });
});

test("a unit of somebody else is left alone", async () => {
  await service().start(newPhaseContext("i-1"));
  await expect(service().start(newPhaseContext("i-2"))).rejects.toMatchObject({ code: "AlreadyExists" });
  const before = await asked();
  await service().remove(newPhaseContext("i-2"), { deleteData: true });
  expect([await units(), await asked()]).toEqual([["bowline-local.service"], before]);
});

test("a unit whose installation nobody remembers is taken away", async () => {
  await service().start(newPhaseContext("i-1"));
  await service().remove(newPhaseContext(""), { deleteData: true });
  expect(await units()).toEqual([]);
});

test("where the notes are lost, the unit of the data folder tells who runs it", async () => {
  const place = { name: "local", environment: { HOME: home }, isSystem: false };
  expect(await isRunBySystemd(join(home, "my data"), place)).toBe(false);
  await service().start(newPhaseContext("i-1"));
  expect(await isRunBySystemd(join(home, "my data"), place)).toBe(true);
  expect(await isRunBySystemd(join(home, "my"), place)).toBe(false);
  expect(await isRunBySystemd(join(home, "my data"), { ...place, name: "other" })).toBe(false);
});

test("a machine without systemd is told so", async () => {
  await rm(join(home, "bin/systemctl"));
  const environment = { HOME: home, PATH: join(home, "bin") };
  const options = {
    service: "systemd",
    listen: "127.0.0.1:7443",
    data: home,
    url: undefined,
    image: "",
  } as const;
  const without = systemdService(options, { name: "local", environment, isSystem: false });
  await expect(without.check(newPhaseContext("i"))).rejects.toMatchObject({ code: "MissingProgram" });
});

test("a failure of systemctl is told with its last line", async () => {
  const script = "#!/bin/sh\necho first >&2\necho 'Failed to connect to bus' >&2\nexit 1\n";
  await writeFile(join(home, "bin/systemctl"), script, { mode: 0o755 });
  await expect(service().start(newPhaseContext("i"))).rejects.toThrow(
    "`systemctl --user daemon-reload` failed: Failed to connect to bus",
  );
});

test("the unit of the machine may write in its data folder alone", () => {
  const unit = systemdUnit({
    name: "local",
    installation: "i-1",
    command: ["/opt/100%/bowline", "server", "--data", "/var/lib/$5"],
    data: "/var/lib/$5",
    isSystem: true,
  });
  expect(unit).toContain("ExecStart=/opt/100%%/bowline server --data /var/lib/$$5\n");
  expect(unit).toMatch(/^ProtectSystem=strict\n(?:#.*\n)?ProtectHome=read-only\n/mu);
  expect(unit).toContain("ReadWritePaths=/var/lib/$5\n");
  expect(unit).toContain("WantedBy=multi-user.target\n");
});

test("its log is in the journal, without the token that the first start prints", () => {
  const unit = systemdUnit({ name: "local", installation: "i", command: ["/b"], data: "/d", isSystem: true });
  expect(unit).toContain("StandardOutput=null\n");
  // Without this it goes where standard output does.
  expect(unit).toContain("StandardError=journal\n");
});

test.skipIf(!(await hasProgram("systemd-analyze", process.env)))(
  "systemd finds nothing wrong with it",
  async () => {
    for (const isSystem of [true, false]) {
      const file = join(home, "bowline-local.service");
      const command = ["/bin/true", "server", "--data", "/var/lib/my data"];
      await writeFile(
        file,
        systemdUnit({ name: "local", installation: "i", command, data: "/var/lib", isSystem }),
      );
      const { stderr } = await promisify(execFile)("systemd-analyze", ["verify", "--man=no", file]);
      expect(stderr.split("\n").filter((line) => line.includes("bowline-local"))).toEqual([]);
    }
  },
);
