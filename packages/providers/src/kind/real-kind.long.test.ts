/**
 * The real kind, on an engine that is a stand-in as far as kind asks it before the first container: what is checked here is
 * that kind takes our configuration and arguments, hands the mark on to the engine, and says what we recognise. Where kind
 * cannot be built the tests say so, and do not run.
 */
import { execFile } from "node:child_process";
import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { kindTest } from "@bowline/test-services";
import { afterEach, beforeEach, expect, test } from "vitest";

import { advance, type ProviderAnswer } from "../provider.ts";
import { testWork, type TestWork } from "../testing/index.ts";
import { kindConfig, kindWish } from "./kind-config.ts";
import { recognise } from "./kind-failures.ts";
import { kindProvider } from "./kind-provider.ts";
import type { KindHost } from "./kind-situation.ts";
import { markPath } from "./node-mark.ts";
import { KindStandIn } from "./testing/stand-in.ts";

const { skip, folder } = await kindTest(process.env);
const settings = { nodes: 3, kubernetesVersion: "1.36.1", ports: [{ host: 18_080, node: 80 }] };
const spec = { provider: "kind" as const, kind: settings };

let standIn: KindStandIn;
let host: KindHost;
let work: TestWork;

beforeEach(async () => {
  standIn = await KindStandIn.open();
  if (!skip) await copyFile(join(folder, "kind"), join(standIn.folder, "bin", "kind"));
  host = { folder: join(standIn.folder, "runs"), environment: standIn.environment };
  work = testWork({ name: "web", spec });
});
afterEach(() => standIn[Symbol.asyncDispose]());

async function untilBlocked(): Promise<ProviderAnswer> {
  for (let count = 0; count < 20; count += 1) {
    const answer = await advance(kindProvider(host), work, "present");
    if (answer.state === "blocked") return answer;
    await standIn.settled(host.folder);
    await work.clock.advance(answer.retryAfterMs ?? 1000);
  }
  throw new Error("It was never blocked.");
}

test.skipIf(skip)("kind understands every field, and refuses one that it does not know", async () => {
  const mark = { installation: "i", cluster: "c", name: "web", token: "t" };
  const config = kindConfig(kindWish(spec), mark);
  const create = async (body: object): Promise<string> => {
    const path = join(standIn.folder, "config.json");
    await writeFile(path, JSON.stringify(body));
    const args = [
      "create",
      "cluster",
      "--name",
      "x",
      "--config",
      path,
      "--kubeconfig",
      join(standIn.folder, "kc"),
    ];
    return promisify(execFile)(join(folder, "kind"), [...args, "--wait", "0s"], {
      env: standIn.environment,
    }).then(
      () => "",
      (error: { stderr: string }) => error.stderr,
    );
  };
  await standIn.stop(true);
  // It has read the configuration when it asks for the engine.
  expect(await create(config)).toContain("failed to get docker info");
  expect(await create({ ...config, labels: {} })).toContain(
    "field labels not found in type v1alpha4.Cluster",
  );
});

test.skipIf(skip)("the mark is in the very call that makes each container", async () => {
  // Kind comes as far as its first containers, which this engine does not have.
  expect(await untilBlocked()).toMatchObject({ reason: "ProviderProgramFailed" });
  const runs = (await standIn.calls()).filter((line) => line.startsWith("docker run"));
  expect(runs).not.toEqual([]);
  const [record] = await work.records.list();
  const mark = {
    installation: work.installation,
    cluster: work.cluster.id,
    name: "web",
    token: record?.token ?? "",
  };
  for (const run of runs) expect(run).toContain(`--volume=/dev/null:${markPath(mark)}:ro`);
  const published = runs.filter((run) => run.includes("--publish=0.0.0.0:18080:80/TCP"));
  expect(published).toEqual(runs.filter((run) => run.includes("-control-plane ")));
});

test.skipIf(skip)("a missing engine is recognised, and no kubeconfig of anybody is written", async () => {
  await rm(join(standIn.folder, "bin", "docker"));
  const environment = { ...standIn.environment, KIND_EXPERIMENTAL_PROVIDER: "docker" };
  const kind = promisify(execFile)(join(folder, "kind"), ["get", "clusters"], { env: environment });
  const said = await kind.then(
    ({ stdout }) => stdout,
    (error: { readonly stderr: string }) => error.stderr,
  );
  expect(recognise(said).reason).toBe("EngineMissing");
  await expect(readFile(join(standIn.folder, ".kube", "config"))).rejects.toThrow("ENOENT");
});

test.skipIf(skip)(
  "kind deletes by the containers that the engine lists, and needs no kubeconfig",
  async () => {
    const name = "bowline-x-1";
    await standIn.putContainer(`${name}-control-plane`, name);
    const kubeconfig = join(standIn.folder, "none");
    const args = ["delete", "cluster", "--name", name, "--kubeconfig", kubeconfig];
    await promisify(execFile)(join(folder, "kind"), args, { env: standIn.environment });
    expect(await standIn.containers()).toEqual([]);
    await expect(readFile(kubeconfig)).rejects.toThrow("ENOENT");
  },
);
