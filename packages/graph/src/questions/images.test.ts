import { expect, test } from "vitest";

import { askingAbout, askingAboutAll, told } from "../testing/asking-about.ts";
import { edge, factsOf, ref } from "../testing/facts-of.ts";
import { sampleCluster } from "../testing/sample-cluster.ts";
import { images } from "./images.ts";

function pod(name: string, image: string, reference: string): ReturnType<typeof factsOf> {
  return factsOf(`Pod/shop/${name}`, {
    parts: [{ node: ref(`Container/shop/${name}/containers/app`), properties: {} }],
    edges: [
      edge("HAS_CONTAINER", [0, 1], "/spec/containers/0"),
      edge("RUNS_IMAGE", [1, `ContainerImage//${image}`], "/spec/containers/0/image", {
        reference,
        tag: "1",
      }),
      edge("OWNS", ["StatefulSet/shop/db", 0], "/metadata/ownerReferences/0", { controller: true }),
    ],
  });
}

test("an image is told by digest, with its references and the workloads of all clusters", () => {
  const asking = askingAboutAll({
    east: [pod("db-0", "sha256:1", "db:1"), pod("db-1", "sha256:1", "db:1")],
    west: [pod("db-0", "sha256:1", "mirror/db:1"), pod("db-1", "ref:db:2", "db:2")],
  });
  const answer = images(asking);
  expect(answer.images).toMatchObject([
    {
      digest: "sha256:1",
      aliases: [
        { reference: "db:1", tag: "1", containers: 2 },
        { reference: "mirror/db:1", containers: 1 },
      ],
      containers: 3,
      clusters: ["east", "west"],
      where: [
        { workload: { cluster: "east", kind: "StatefulSet", name: "db" }, containers: 2 },
        { workload: { cluster: "west" }, containers: 1 },
      ],
    },
    { aliases: [{ reference: "db:2" }], containers: 1 },
  ]);
  expect(answer.images[1]).not.toHaveProperty("digest");
  expect(images(asking, { text: "mirror" }).total).toBe(1);
});

test("what a template names is told by what its pods run, or by itself while they run nothing", () => {
  const template = factsOf("StatefulSet/shop/db", {
    edges: [
      edge("RUNS_IMAGE", [0, "ContainerImage//ref:db:1"], "/spec/template/spec/containers/0/image", {
        reference: "db:1",
      }),
    ],
  });
  expect(images(askingAbout([template, pod("db-0", "sha256:1", "db:1")])).images).toMatchObject([
    { digest: "sha256:1" },
  ]);
  const [image] = images(askingAbout([template])).images;
  expect(image).toMatchObject({ aliases: [{ reference: "db:1" }], containers: 0 });
  expect(image?.where.map(({ workload }) => told(workload))).toEqual(["StatefulSet/shop/db"]);
});

test("containers that one may not see are counted; an image that only they run is withheld", () => {
  const objects = [...sampleCluster(250), pod("db-0", "sha256:1", "db:1")];
  const asking = askingAbout(objects, {
    canSee: (_, namespace) => namespace === "team-0" || namespace === "",
  });
  const answer = images(asking, { limit: 2 });
  expect(answer).toMatchObject({ total: 52, withheld: 1, truncated: true });
  expect(answer.images.length).toBe(2);
  expect(images(asking, { text: "mesh/proxy" }).images).toMatchObject([{ containers: 250, withheld: 0 }]);
});
