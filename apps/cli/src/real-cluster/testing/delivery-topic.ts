import { join } from "node:path";

import { busyboxImage } from "@bowline/test-cluster";
import { createTempFolder } from "@bowline/test-services";
import { TestAuthority } from "@bowline/test-services/certificates";
import { GitHttpServer, makeSshKey, TestRepository, type SshKeyPair } from "@bowline/test-services/git";
import { expect, onTestFinished, test } from "vitest";

import { addEditor, type Editor } from "./editors.ts";
import { clusterName } from "./people.ts";
import type { Stage } from "./stage.ts";
import type { Topic } from "./topic.ts";

const deployment = (version: string): string =>
  JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "pushed" },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: "pushed" } },
      template: {
        metadata: { labels: { app: "pushed" }, annotations: { version } },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [
            { name: "main", image: busyboxImage, imagePullPolicy: "Never", command: ["sleep", "100000"] },
          ],
        },
      },
    },
  });

/** Runs once for its revision, before the Deployment is changed. */
const migration = JSON.stringify({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "migrate", annotations: { "bowline.dev/hook": "pre" } },
  spec: {
    backoffLimit: 0,
    template: {
      spec: {
        restartPolicy: "Never",
        terminationGracePeriodSeconds: 0,
        containers: [
          { name: "main", image: busyboxImage, imagePullPolicy: "Never", command: ["echo", "migrated"] },
        ],
      },
    },
  },
});

interface Delivery {
  readonly editor: Editor;
  readonly repository: TestRepository;
  readonly server: GitHttpServer;
  readonly key: SshKeyPair;
}

/** A repository of signed commits, and a definition that follows it. */
async function openDelivery(stage: Stage): Promise<Delivery> {
  const stack = new AsyncDisposableStack();
  onTestFinished(() => stack.disposeAsync());
  const folder = stack.use(await createTempFolder("delivery")).path;
  const served = join(folder, "served");
  const repository = await TestRepository.create(served);
  const key = await makeSshKey(folder, "release");
  await repository.commit({ files: { "app/web.yaml": deployment("1") }, sign: key });
  const authority = await TestAuthority.create();
  const tls = await authority.issue({ commonName: "server" });
  const server = stack.use(await GitHttpServer.start({ folder: served, tls }));
  const editor = await addEditor(stage, "deliverer", { kubernetes: { groups: ["system:masters"] } });
  const objects = [
    {
      kind: "Credential",
      metadata: { name: "git" },
      spec: { type: "tls", hosts: ["127.0.0.1"], data: { caPem: authority.cert } },
    },
    {
      kind: "WorkloadDefinition",
      metadata: { name: "pushed" },
      spec: {
        source: {
          git: {
            url: server.url(),
            path: "app",
            interval: "1h",
            credential: "git",
            verify: { keys: [{ publicKey: key.publicKey, signer: "release" }] },
          },
        },
      },
    },
    {
      kind: "WorkloadInstance",
      metadata: { name: "pushed" },
      spec: { definition: "pushed", placement: { clusters: [clusterName] } },
    },
  ];
  await editor.bowline(["apply", "-f", "-"], objects.map((object) => JSON.stringify(object)).join("\n---\n"));
  stack.defer(async () => void (await editor.tried(["delete", "wi/pushed", "wd/pushed", "credential/git"])));
  await editor.bowline(["wait", "wi/pushed", "--for", "healthy", "--timeout", "150s"]);
  return { editor, repository, server, key };
}

/** A workload from git, in a real cluster. */
export const deliveryTopic: Topic = (stage) => {
  test("commits change a real Deployment, and what must not be used leaves it as it is", async () => {
    const { editor, repository, server, key } = await openDelivery(stage());
    const running = (): Promise<string> =>
      stage().cluster.kubectl([
        "get",
        "deployment/pushed",
        "-o",
        "jsonpath={.spec.template.metadata.annotations.version} {.metadata.uid}",
      ]);
    const [, uid] = (await running()).split(" ");

    await repository.commit({ files: { "app/web.yaml": deployment("2") }, sign: key });
    const compared = await editor.tried(["diff", "wi/pushed", "--ref", "main"]);
    expect(compared.code).toBe(1);
    expect(compared.out).toContain('+        version: "2"');
    expect(await running()).toBe(`1 ${uid}`);
    expect((await editor.bowline(["resolve", "wd/pushed"])).out).toContain("signed by release");
    await editor.bowline(["wait", "wi/pushed", "--for", "healthy", "--timeout", "150s"]);
    expect(await running()).toBe(`2 ${uid}`);

    await repository.commit({ files: { "app/web.yaml": deployment("3") } });
    const unsigned = await editor.tried(["resolve", "wd/pushed"]);
    expect(unsigned.code).toBe(1);
    expect(unsigned.error).toContain("NotVerified");
    expect(await running()).toBe(`2 ${uid}`);

    await repository.commit({ files: { "app/web.yaml": null, "app/README.md": "# empty" }, sign: key });
    const emptied = await editor.tried(["resolve", "wd/pushed"]);
    expect(emptied.code).toBe(1);
    expect(emptied.error).toContain("There is no .yaml, .yml or .json file to render");
    expect(await running()).toBe(`2 ${uid}`);

    const files = { "app/web.yaml": deployment("4"), "app/migrate.yaml": migration };
    await repository.commit({ files, sign: key });
    await editor.bowline(["resolve", "wd/pushed"]);
    await editor.bowline(["wait", "wi/pushed", "--for", "healthy", "--timeout", "150s"]);
    expect(await running()).toBe(`4 ${uid}`);
    const jobs = "{range .items[*]}{.metadata.name} {.status.succeeded}{end}";
    expect(await stage().cluster.kubectl(["get", "jobs", "-o", `jsonpath=${jobs}`])).toMatch(
      /^migrate\S* 1$/u,
    );
    await server[Symbol.asyncDispose]();
    await editor.bowline(["rollback", "wi/pushed"]);
    await editor.bowline(["wait", "wi/pushed", "--for", "healthy", "--timeout", "150s"]);
    expect(await running()).toBe(`2 ${uid}`);
  });
};
