import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { ManualClock } from "@bowline/core/testing";
import { FakeAws } from "@bowline/test-aws";
import { expect, test } from "vitest";

import { isAwsError } from "./aws-api.ts";
import { AwsProcess } from "./aws-process.ts";

async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return status !== "" && !/^State:\s+Z/mu.test(status);
}

test.skipIf(process.platform !== "linux")(
  "calls are made by a process that is there while it is used, and whose death is an error of the call",
  async () => {
    const clock = new ManualClock();
    await using aws = await FakeAws.start({ clock });
    await using api = new AwsProcess({ clock, env: process.env });
    const target = { region: "eu-west-1", endpoint: aws.url, key: aws.addUser("bowline") };
    const calls = [
      api.send(target, "sts:GetCallerIdentity", {}),
      api.send(target, "iam:ListRoles", {}),
      api.send(target, "eks:DescribeCluster", { name: "web" }).catch((error: unknown) => error),
    ] as const;
    const [caller, roles, error] = await Promise.all(calls);
    expect(caller.Arn).toBe("arn:aws:iam::111122223333:user/bowline");
    expect(roles.Roles).toEqual([]);
    expect(isAwsError(error, "ResourceNotFoundException") && error.status).toBe(404);

    const { token } = await api.token(target, "web");
    const url = new URL(Buffer.from(token.slice("k8s-aws-v1.".length), "base64url").toString("utf8"));
    expect(aws.identify(url, { "x-k8s-aws-id": "web" })).toBe(caller.Arn);
    expect(() => aws.identify(url, { "x-k8s-aws-id": "other" })).toThrow("does not match");

    const pid = api.pid ?? 0;
    expect(await isRunning(pid)).toBe(true);
    await clock.advance(60_000);
    expect(api.pid).toBeUndefined();
    await expect.poll(() => isRunning(pid)).toBe(false);

    const again = api.send(target, "sts:GetCallerIdentity", {});
    process.kill(api.pid ?? Number.NaN, "SIGKILL");
    await expect(again).rejects.toMatchObject({ code: "ProcessEnded" });
    expect((await api.send(target, "sts:GetCallerIdentity", {})).Arn).toBe(caller.Arn);
  },
);

test.skipIf(process.platform !== "linux")("a process that does not answer is ended", async () => {
  const clock = new ManualClock();
  await using aws = new AwsProcess({
    clock,
    env: process.env,
    source: new URL("testing/mute-process.ts", import.meta.url),
  });
  const target = { region: "eu-west-1" };
  const calls = Promise.all([
    aws.send(target, "iam:ListRoles", {}).catch((error: unknown) => error),
    aws.token(target, "web").catch((error: unknown) => error),
  ]);
  const pid = aws.pid ?? 0;
  await clock.advance(120_000);
  for (const error of await calls) {
    expect(isAwsError(error, "ProcessEnded") && error.message).toContain("did not answer");
  }
  expect(aws.pid).toBeUndefined();
  await expect.poll(() => isRunning(pid)).toBe(false);
  expect(clock.pending).toBe(0);
});

test.skipIf(process.platform !== "linux")(
  "it is not ended in the middle of a call by what it had to do before",
  async () => {
    const clock = new ManualClock();
    await using aws = new AwsProcess({
      clock,
      env: process.env,
      source: new URL("testing/paired-process.ts", import.meta.url),
    });
    const target = { region: "eu-west-1" };
    const ask = () => aws.send(target, "iam:ListRoles", {});
    await Promise.all([ask(), ask()]);
    // The only wait is that for its end.
    expect(clock.pending).toBe(1);
    await clock.advance(59_000);
    const call = ask();
    await clock.advance(2_000);
    await Promise.all([call, ask()]);
  },
);

test.skipIf(process.platform !== "linux")(
  "what the server itself is set up with is not passed on",
  async () => {
    const clock = new ManualClock();
    await using account = await FakeAws.start({ clock });
    const env = { ...process.env, AWS_PROFILE: "mine", BOWLINE_DATABASE_URL: "postgres://canary" };
    await using aws = new AwsProcess({ clock, env });
    const target = { region: "eu-west-1", endpoint: account.url, key: account.addUser("bowline") };
    await aws.send(target, "sts:GetCallerIdentity", {});
    const told = (await readFile(`/proc/${aws.pid ?? 0}/environ`, "utf8")).split("\0");
    expect(told).toContain("AWS_PROFILE=mine");
    expect(told.filter((each) => each.startsWith("BOWLINE_"))).toEqual([]);
  },
);

test.skipIf(process.platform !== "linux")(
  "one that cannot be started for a lack of files is an error of the call, and ends nobody else",
  async () => {
    const script = fileURLToPath(new URL("testing/without-files.ts", import.meta.url));
    const shell = ["-c", 'ulimit -n 64 && exec "$0" "$1"', process.execPath, script];
    const { stdout } = await promisify(execFile)("/bin/sh", shell);
    expect(stdout).toContain("The process for AWS ended (spawn");
    expect(stdout).toContain("EMFILE");
  },
);

test("whoever has nothing else to do waits for its end", async () => {
  const script = fileURLToPath(new URL("testing/with-nothing-else.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  expect(stdout).toBe("closed");
});
