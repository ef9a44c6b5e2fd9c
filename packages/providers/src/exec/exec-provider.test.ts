import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { ExecSettings } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { createTempFolder, type TempFolder } from "@bowline/test-services";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { advance, type ProviderWork } from "../provider.ts";
import { testWork, type TestWork } from "../testing/index.ts";
import { ExecProvider } from "./exec-provider.ts";
import { pipesGraceMs } from "./program-process.ts";

let folder: TempFolder;
let work: TestWork;
let clock: ManualClock;

beforeEach(async () => {
  clock = new ManualClock();
  folder = await createTempFolder("exec-provider");
  work = workWith({ command: "maker" });
});
afterEach(() => folder[Symbol.asyncDispose]());

const secret = "canary-secret-91af";
/** A process that knows the Credential `cloud`, on the clock of the test. */
function workWith(exec: ExecSettings, options: Pick<Partial<ProviderWork>, "signal"> = {}): TestWork {
  const credential = () => Promise.resolve({ key: secret, zero: "a\0b", long: "x".repeat(1024 * 1024) });
  return testWork({ spec: { provider: "exec", exec } }, { credential, ...options, clock });
}

async function provider(script: string, mode = 0o755): Promise<ExecProvider> {
  const path = join(folder.path, "maker");
  await writeFile(path, script, { mode });
  return new ExecProvider({
    programs: new Map([["maker", path]]),
    environment: { ...process.env, PATH: "/usr/bin:/bin" },
  });
}

const sh = (body: string): string => `#!/bin/sh\nIFS= read -r question\n${body}\n`;
const node = (body: string): string => `#!${process.execPath}\n${body}\n`;
const ready = `echo '{"state":"ready"}'`;

async function failure(script: string, given: ProviderWork = work): Promise<BowlineError> {
  const made = await provider(script);
  return failureOf(made.next(given));
}

async function failureOf(outcome: Promise<unknown>): Promise<BowlineError> {
  const error: unknown = await outcome.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof BowlineError)) throw new Error("It did not fail.", { cause: error });
  return error;
}

describe("a program that does not keep the protocol is told so:", () => {
  test.each([
    ["garbage", sh("echo hello"), "no JSON object; logs belong on standard error"],
    ["nothing", sh(":"), "printed nothing on its standard output"],
    ["two objects", sh(`${ready}; ${ready}`), "printed more than one JSON object"],
    [
      "two objects on one line",
      sh(`printf '{"state":"ready"}{"state":"ready"}'`),
      "more than one JSON object",
    ],
    ["a list", sh("echo '[]'"), "no JSON object"],
    [
      "a record that is too deep to be kept",
      node(`console.log('{"state":"ready","record":{"x":' + "[".repeat(60_000) + "]".repeat(60_000) + "}}")`),
      "nested more than 100 deep",
    ],
    ["half an object", sh(`printf '{"state":"rea'`), "no JSON object"],
    ["another version", sh(`echo '{"protocol":2,"state":"ready"}'`), "is 2: this server speaks protocol 1"],
    [
      "an unknown field",
      sh(`echo '{"state":"ready","retryAfter":3}'`),
      "«retryAfter», which protocol 1 does not have",
    ],
    [
      "a field of every object",
      sh(`echo '{"state":"ready","constructor":3}'`),
      "«constructor», which protocol 1",
    ],
    ["no state", sh("echo '{}'"), "answered no state to next"],
    ["an unknown state", sh(`echo '{"state":"done"}'`), `a «state» that is "done" and not creating, ready,`],
    ["a state of another action", sh(`echo '{"state":"gone"}'`), 'answered the state "gone" to next'],
    [
      "blocked without a reason",
      sh(`echo '{"state":"blocked"}'`),
      "no message that says what a person has to do",
    ],
    [
      "a step that is none",
      sh(`echo '{"state":"creating","step":{"n":3,"of":2,"text":"x"}}'`),
      "n from 1 to of",
    ],
    ["a record that is none", sh(`echo '{"state":"ready","record":"x"}'`), "a «record» that is no object"],
    [
      "a large record",
      node(`console.log(JSON.stringify({ state: "ready", record: { x: "x".repeat(262137) } }))`),
      "262144 are allowed",
    ],
    [
      "an exit code",
      sh("echo 'no quota' >&2; exit 3"),
      "ended with exit code 3; what went wrong has to be said",
    ],
    ["a signal", sh("kill -KILL $$"), "was ended by SIGKILL: look for a lack of memory"],
    [
      "100 MB on standard output",
      sh("yes | head -c 100000000"),
      "more than 1048576 bytes on its standard output",
    ],
    [
      "100 MB on standard error",
      sh("yes | head -c 100000000 >&2"),
      "more than 16777216 bytes to standard error",
    ],
    [
      "no interpreter",
      "#!/nowhere/sh\n",
      "cannot be started (ENOENT): there is no such file, or its first line",
    ],
  ])("%s", async (_, script, sentence) => {
    const error = await failure(script);
    expect(error).toMatchObject({
      code: "ProcessFailed",
      retryable: true,
      details: { reason: "ProviderProgramFailed", program: "maker", action: "next" },
    });
    expect(error.message).toContain("The program «maker», asked to next, ");
    expect(error.message).toContain(sentence);
    expect(clock.pending, "timers that are left").toBe(0);
  });

  test("a file that is not executable, and one that is not there", async () => {
    const made = await provider(sh(ready), 0o644);
    expect((await failureOf(made.next(work))).message).toContain("(EACCES): it is not executable");
    const gone = new ExecProvider({
      programs: new Map([["maker", join(folder.path, "gone")]]),
      environment: {},
    });
    expect((await failureOf(gone.next(work))).message).toContain("(ENOENT): there is no such file");
  });

  test.runIf(process.platform === "linux")("one whose environment is too long", async () => {
    const env = [{ name: "KEY", credential: "cloud", key: "long" }];
    const error = await failure(sh(ready), workWith({ command: "maker", env }));
    expect(error.code).toBe("ProcessFailed");
    expect(error.message).toContain("cannot be started (E2BIG): its arguments and the values");
  });

  test("one that hangs is killed with all that it started", async () => {
    const made = await provider(sh(`sleep 600 & echo $! >sleeper; mv sleeper sleepers; sleep 600`));
    const outcome = failureOf(made.next(workWith({ command: "maker", timeout: "7s" })));
    await clock.armed(7_000);
    const pid = await expect.poll(pidIn("sleepers")).toBeGreaterThan(1).then(pidIn("sleepers"));
    await clock.advance(7_000);
    expect((await outcome).message).toContain("did not answer within 7 s and was killed with all");
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test("one that nobody waits for any more is killed", async () => {
    const stop = new AbortController();
    const made = await provider(sh(`echo $$ >self; mv self selves; sleep 600`));
    const outcome = failureOf(made.next(workWith({ command: "maker" }, { signal: stop.signal })));
    await expect.poll(pidIn("selves")).toBeGreaterThan(1);
    const pid = await pidIn("selves")();
    stop.abort(new BowlineError("Cancelled", "The server stops."));
    expect((await outcome).message).toBe("The server stops.");
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test.each([
    ["in its group", ""],
    ["in a group of its own", "setsid"],
  ])("one that leaves something %s which keeps its output open", async (_, apart) => {
    const made = await provider(
      sh(`${apart} sh -c 'echo $$ >left; mv left lefts; exec sleep 600' &
until [ -e lefts ]; do sleep 0.01; done; ${ready}`),
    );
    const outcome = failureOf(made.next(work));
    await clock.armed(pipesGraceMs);
    await clock.advance(pipesGraceMs);
    expect((await outcome).message).toContain("setsid program >program.log 2>&1 </dev/null &");
    const pid = await pidIn("lefts")();
    // What has left the group is the user's own affair; here it is ended by its id.
    if (apart !== "") process.kill(pid, "SIGKILL");
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

const pidIn = (name: string) => async (): Promise<number> =>
  Number(await readFile(join(folder.path, name), "utf8").catch(() => "0"));

/** A zombie that nobody buries is dead as well. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat !== "" && !/\) [ZX] /u.test(stat);
}

describe("a program", () => {
  test("leaves running what has its output elsewhere", async () => {
    const made = await provider(sh(`sleep 600 >/dev/null 2>&1 </dev/null &\necho $! >pid; ${ready}`));
    expect(await made.next(work)).toMatchObject({ state: "ready" });
    const pid = await pidIn("pid")();
    expect(await isAlive(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
  });

  test("need not read its question", async () => {
    const made = await provider(`#!/bin/sh\nexec <&-\n${ready}\n`);
    const large = workWith({ command: "maker" });
    await large.records.put({
      step: "program",
      type: "exec:maker",
      attempt: 1,
      token: "t",
      intentAtMs: 0,
      state: "created",
      attributes: { text: "x".repeat(250_000) },
    });
    expect(await made.next(large)).toMatchObject({ state: "ready" });
  });

  test("is asked with the question of the protocol, in an environment of few names", async () => {
    await mkdir(join(folder.path, "home"));
    const made = await provider(sh(`printf '%s' "$question" >question; env >env; ${ready}`));
    const asked = workWith({
      command: "maker",
      args: ["one", "two words"],
      env: [{ name: "CLOUD_KEY", credential: "cloud", key: "key" }],
    });
    await made.next(asked);
    const { id, spec } = asked.cluster;
    expect(JSON.parse(await readFile(join(folder.path, "question"), "utf8"))).toEqual({
      protocol: 1,
      action: "next",
      cluster: { id, name: "web", labels: {} },
      spec,
      record: null,
    });
    const lines = (await readFile(join(folder.path, "env"), "utf8")).trim().split("\n");
    const names = lines
      .map((line) => line.split("=")[0])
      .filter((name) => !["PWD", "_", "OLDPWD", "SHLVL"].includes(name ?? ""));
    expect(
      names.every((name) =>
        ["PATH", "HOME", "USER", "TMPDIR", "LANG", "LC_ALL", "TZ", "CLOUD_KEY"].includes(name ?? ""),
      ),
    ).toBe(true);
    expect(lines).toContain(`CLOUD_KEY=${secret}`);
    expect(lines).toContain("PATH=/usr/bin:/bin");
  });

  test("is given back the record that it answered last, also when it forgets to answer one", async () => {
    const made = await provider(
      sh(`printf '%s\\n' "$question" | sed 's/.*"record"://' >>records
if [ "$(wc -l <records)" = 1 ]; then echo '{"state":"creating","record":{"id":"c-1"}}'; else echo '{"state":"creating"}'; fi`),
    );
    for (let round = 0; round < 3; round += 1) await made.next(work);
    const records = await readFile(join(folder.path, "records"), "utf8");
    expect(records).toBe('null}\n{"id":"c-1"}}\n{"id":"c-1"}}\n');
  });

  test("is asked once for each round while its cluster is made, and once it is there only looks", async () => {
    const made = await provider(
      sh(`case $question in *'"observe"'*) echo observe ;; *) echo next ;; esac >>asked
if [ "$(wc -l <asked)" -lt 3 ]; then echo '{"state":"creating"}'; else ${ready}; fi`),
    );
    const states: string[] = [];
    for (let round = 0; round < 4; round += 1) states.push((await advance(made, work, "present")).state);
    expect(states).toEqual(["creating", "creating", "ready", "ready"]);
    expect(await readFile(join(folder.path, "asked"), "utf8")).toBe("next\nnext\nnext\nobserve\n");
  });

  test("says what blocks it, and how far it is", async () => {
    const blocked = await provider(
      sh(`echo '{"state":"blocked","message":"Raise the quota of addresses."}'`),
    );
    expect(await blocked.next(work)).toMatchObject({
      state: "blocked",
      reason: "Blocked",
      message: "Raise the quota of addresses.",
    });
    const creating = await provider(
      sh(
        `echo '{"state":"creating","step":{"n":2,"of":3,"text":"Network","expectSeconds":60},"retryAfterSeconds":20}'`,
      ),
    );
    expect(await creating.next(work)).toEqual({
      state: "creating",
      step: { number: 2, of: 3, text: "Network", expectedSeconds: 60 },
      retryAfterMs: 20_000,
    });
  });

  test("that the server does not name is not started", async () => {
    const made = await provider(sh("touch started"));
    const error = await failureOf(made.next(workWith({ command: "other" })));
    expect(error.message).toContain("name no program «other», only «maker»");
  });

  test("is the one that made the cluster, whatever spec.exec.command says by now", async () => {
    const made = await provider(sh(ready));
    const other = join(folder.path, "other");
    await writeFile(other, sh('touch asked; echo \'{"state":"gone"}\''), { mode: 0o755 });
    const both = new ExecProvider({
      programs: new Map([
        ["maker", join(folder.path, "maker")],
        ["other", other],
      ]),
      environment: {},
    });
    await made.next(work);
    const { records } = work;
    const spec = { provider: "exec" as const, exec: { command: "other" } };
    const changed = testWork({ spec }, { records, clock });
    for (const round of [() => both.observe(changed), () => both.next(changed), () => both.delete(changed)]) {
      const error = await failureOf(round());
      expect(error.details).toMatchObject({ reason: "ProgramChanged" });
      expect(error.message).toContain("«maker»");
    }
    expect(await readFile(join(folder.path, "asked"), "utf8").catch(() => "never")).toBe("never");
    expect(await records.list()).toMatchObject([{ type: "exec:maker", state: "deleting" }]);
    expect(await both.observe(testWork({ ...work.cluster }, { records, clock }))).toMatchObject({
      state: "deleting",
    });
  });

  test("gets no variable by which another program would be run", async () => {
    const made = await provider(sh("touch started"));
    const names = ["PATH", "LD_PRELOAD", "NODE_OPTIONS", "BASH_ENV", "PYTHONPATH", "GIT_SSH_COMMAND"];
    const others = [
      "TAR_OPTIONS",
      "MAKEFLAGS",
      "LESSOPEN",
      "LUA_INIT_5_4",
      "TF_CLI_CONFIG_FILE",
      "TF_CLI_ARGS",
    ];
    const more = ["npm_config_script_shell", "SSH_ASKPASS", "RSYNC_RSH", "ZDOTDIR", "KUBECTL_EXTERNAL_DIFF"];
    for (const name of [...names, ...others, ...more, "HELM_PLUGINS", "OPENSSL_CONF", "CLASSPATH"]) {
      const env = [{ name, credential: "cloud", key: "key" }];
      const error = await failureOf(made.next(workWith({ command: "maker", env })));
      expect(error.message).toContain(`names ${name}, by which`);
    }
    expect(await readFile(join(folder.path, "started"), "utf8").catch(() => "not there")).toBe("not there");
  });

  test("whose Credential has no such key, or a zero byte, is not started, and the value is not told", async () => {
    const made = await provider(sh("touch started"));
    const withKey = (key: string): TestWork =>
      workWith({ command: "maker", env: [{ name: "KEY", credential: "cloud", key }] });
    expect((await failureOf(made.next(withKey("none")))).message).toContain('has no key "none"');
    const { message } = await failureOf(made.next(withKey("zero")));
    expect(message).toContain("a zero byte");
    expect(message).not.toContain("\0");
  });
});

describe("a secret", () => {
  const env = [{ name: "KEY", credential: "cloud", key: "key" }];

  test("is in no message, however it is repeated, and the last 2 KiB of the log are", async () => {
    const script = sh(`
for n in $(seq 4000); do echo "line $n $KEY"; done >&2
printf %s "$KEY" | base64 >&2
echo "{\\"$KEY\\":1}"`);
    const { message } = await failure(script, workWith({ command: "maker", env }));
    expect(message).not.toContain(secret);
    expect(message).not.toContain(Buffer.from(secret).toString("base64"));
    expect(message).toContain("the field «[Redacted]»");
    const said = message.slice(message.indexOf("It said:\n") + 9);
    expect(said).toContain("line 4000 [Redacted]");
    expect(Buffer.byteLength(said)).toBeLessThanOrEqual(2048);
    expect(Buffer.byteLength(said)).toBeGreaterThan(2000);
  });

  test("is taken out of what people read, and never stored", async () => {
    const given = workWith({ command: "maker", env });
    const tells = await provider(
      sh(
        `echo "{\\"state\\":\\"creating\\",\\"message\\":\\"with $KEY\\",\\"step\\":{\\"n\\":1,\\"of\\":1,\\"text\\":\\"by $KEY\\"}}"`,
      ),
    );
    expect(await tells.next(given)).toMatchObject({
      message: "with [Redacted]",
      step: { text: "by [Redacted]" },
    });
    const keeps = await provider(sh(`echo "{\\"state\\":\\"ready\\",\\"record\\":{\\"key\\":\\"$KEY\\"}}"`));
    expect((await failureOf(keeps.next(given))).message).toContain("has the value of a Credential");
    expect(JSON.stringify(await given.records.list())).not.toContain(secret);
  });

  test("such as a kubeconfig goes to whoever asks for it, and nowhere else", async () => {
    const kubeconfig = "apiVersion: v1 of a kubeconfig";
    const gives = await provider(
      sh(`echo '{"state":"ready","record":{"id":"c-1"},"kubeconfig":"${kubeconfig}"}'`),
    );
    expect(JSON.stringify(await gives.next(work))).not.toContain(kubeconfig);
    expect(JSON.stringify(await work.records.list())).not.toContain(kubeconfig);
    expect(await gives.credentials(work)).toEqual({ kubeconfig });
    const keeps = await provider(
      sh(`echo '{"state":"ready","record":{"all":"${kubeconfig}"},"kubeconfig":"${kubeconfig}"}'`),
    );
    expect((await failureOf(keeps.next(work))).message).toContain("or its kubeconfig in it");
    const none = await provider(sh(ready));
    expect((await failureOf(none.credentials(work))).message).toContain("answered without a kubeconfig");
  });
});
