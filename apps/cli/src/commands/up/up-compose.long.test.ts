/** What is shipped for container engines, in one: the image, the compose file, and `up` that has compose run it. */
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { dockerTest } from "@bowline/test-cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";

import { natsForCompose, postgresForCompose } from "../../testing/compose-images.ts";
import { EngineStage } from "../../testing/engine-stage.ts";

const { skip, folder: programs } = await dockerTest(process.env);

const isReady =
  'fetch("https://127.0.0.1:7443/readyz").then((answer) => answer.text()).then(console.log, () => process.exit(1))';

interface ComposeImages {
  readonly services: Readonly<Record<"postgres" | "nats", { readonly image: string }>>;
}

/** Nothing is before the servers that would have to notice that one of them goes. */
const noDelay = ["--set", "drain.delaySeconds=0"];
const { newTokenSecret } = await import("@bowline/auth");
const token = newTokenSecret(randomBytes);

/** As the file says at its top: the folder keeps everybody out, and the files can be read by user 65532. */
async function writeSecrets(folder: string, secrets: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  for (const [path, content] of Object.entries(secrets)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

describe.skipIf(skip)("with a container engine", () => {
  let stage: EngineStage;
  beforeAll(async () => {
    stage = await EngineStage.open(programs);
  }, 180_000);
  afterAll(() => stage?.[Symbol.asyncDispose]());

  test("the image is loaded under its name, with its user and its labels", async () => {
    const [{ RepoTags: names, Config: config } = {}] = JSON.parse(
      await stage.docker("image", "inspect", `docker.io/library/${stage.image}`),
    ) as { readonly RepoTags?: string[]; readonly Config?: Readonly<Record<string, unknown>> }[];
    expect(names).toEqual([stage.image]);
    expect(config).toMatchObject({
      User: "65532:65532",
      Entrypoint: ["/usr/bin/node", "/app/dist/bowline.mjs"],
      Cmd: ["help"],
      Labels: { "org.opencontainers.image.title": "bowline" },
    });
    const run = ["run", "--rm", "--read-only", "--network", "none", stage.image];
    expect(await stage.docker(...run, "version")).toContain(stage.image.replace("bowline:", ""));
    expect(await stage.docker(...run, "agent", "--help")).toContain("Run the agent of a cluster");
    expect(await stage.docker(...run, "operator", "--help")).toContain("Run the monitoring operator");
  });

  test("a server can write to its data and nowhere else, and ends well when it is told to", async () => {
    const limits = ["--read-only", "--tmpfs", "/tmp:mode=1777", "--cap-drop", "ALL"];
    const data = ["--volume", "data:/var/lib/bowline", "--env", "BOWLINE_DATA=/var/lib/bowline/server"];
    await stage.docker("run", "--detach", "--name", "server", ...limits, ...data, stage.image, "server");
    const node = ["exec", "--env", "NODE_TLS_REJECT_UNAUTHORIZED=0", "server", "/usr/bin/node", "--eval"];
    await expect.poll(() => stage.docker(...node, isReady).catch(String)).toMatch(/^ok$/mu);
    expect(await stage.docker(...node, "console.log(process.getuid())")).toContain("65532");
    const write = stage.docker(...node, 'fs.writeFileSync("/app/written", "")');
    await expect(write).rejects.toThrow("EROFS: read-only file system");
    await stage.docker("stop", "--time", "20", "server");
    expect(await stage.docker("inspect", "--format", "{{.State.ExitCode}}", "server")).toBe("0\n");
    expect(await stage.docker("logs", "server")).toContain('"msg":"Stopped"');
    await stage.docker("rm", "server");
    await stage.docker("volume", "rm", "data");
  });

  test("two servers share the PostgreSQL and the NATS of the file, and one of them is enough", async () => {
    const folder = join(stage.home, "fleet");
    const flags = ["--with-postgres", "--with-nats", "--set", "replicas=2", "--output-folder", folder];
    const secrets = ["database.postgres", "encryption", "adminToken"];
    const names = secrets.flatMap((each) => ["--set", `${each}.existingSecret=${each.toLowerCase()}`]);
    await stage.bowline("install", "compose", ...flags, ...names, ...noDelay);
    const file = parse(await readFile(join(folder, "compose.yaml"), "utf8")) as ComposeImages;
    await stage.load(await postgresForCompose(file.services.postgres.image));
    await stage.load(await natsForCompose(file.services.nats.image));
    await writeSecrets(join(folder, "secrets"), {
      "database.postgres/url": "postgres://bowline:secret@postgres/bowline?sslmode=disable",
      "encryption/encryption.keys": await stage.bowline("server", "keys", "new"),
      "admintoken/token": token,
      "postgres-password": "secret",
    });
    const compose = ["compose", "--project-directory", folder];
    await stage.docker(...compose, "up", "--detach", "--wait");
    const ca = join(stage.home, "ca.crt");
    await stage.docker(...compose, "cp", "server-1:/var/lib/bowline/server/tls/ca.crt", ca);
    const as = ["--token-file", join(folder, "secrets/admintoken/token"), "--ca-file", ca];
    const first = ["--server", "https://localhost:7443", ...as];
    const second = ["--server", "https://localhost:7444", ...as];
    const cluster = join(stage.home, "cluster.yaml");
    await writeFile(cluster, "kind: Cluster\nmetadata: { name: shop }\nspec: {}\n");
    expect(await stage.bowline("apply", "-f", cluster, ...first)).toContain("cluster/shop created");
    await stage.docker(...compose, "kill", "server-1");
    expect(await stage.bowline("get", "clusters", ...second)).toContain("shop");
    await stage.docker(...compose, "down", "--volumes");
    expect(await stage.leftovers()).toEqual([]);
  }, 90_000);

  test("what `bowline install compose` prints is run by compose until it is healthy", async () => {
    const folder = join(stage.home, "by-hand");
    await mkdir(folder);
    await writeFile(join(folder, "compose.yaml"), await stage.bowline("install", "compose", ...noDelay));
    const compose = ["compose", "--project-directory", folder];
    await stage.docker(...compose, "up", "--detach", "--wait");
    expect(await stage.docker(...compose, "logs", "server")).toContain("The token of the admin");
    expect(await stage.leftovers()).toEqual(["bowline-server-1", "bowline_data", "bowline_default"]);
    await stage.docker(...compose, "down", "--volumes");
    expect(await stage.leftovers()).toEqual([]);
  }, 60_000);

  test("up has compose run a server, goes on with its data, and down leaves nothing", async () => {
    const data = join(stage.home, "data");
    const cluster = join(stage.home, "cluster.yaml");
    await writeFile(cluster, "kind: Cluster\nmetadata: { name: shop }\nspec: {}\n");
    const first = await stage.bowline("up", "--service", "compose", "--data", data);
    expect(first).toContain("begins with no data in the volume bowline-local_data of the container engine");
    expect(await stage.bowline("apply", "-f", cluster)).toContain("cluster/shop created");
    expect(await stage.bowline("up")).toContain('"local" is up already');
    expect(await stage.bowline("down", "local", "--yes")).toContain("the volume bowline-local_data");
    expect(await stage.leftovers()).toEqual(["bowline-local_data"]);
    // Nobody has to say again that it is compose: what is kept in the folder says it.
    const second = await stage.bowline("up", "--data", data);
    expect(second).toContain("goes on with the data in the volume bowline-local_data");
    expect(await stage.bowline("get", "clusters")).toContain("shop");
    // As if the notes of `up` were lost.
    await stage.run("rm", "--recursive", join(stage.home, ".local/state/bowline/installations"));
    await stage.bowline("down", "local", "--yes", "--delete-data", "--data", data);
    expect(await readdir(stage.home)).not.toContain("data");
    expect(await stage.leftovers()).toEqual([]);
  }, 60_000);
});
