import { describe, expect, test } from "vitest";

import { imageUse } from "./image.ts";

const digest = `sha256:${"0a".repeat(32)}`;

describe("a reference is completed as container runtimes do", () => {
  test.each([
    ["nginx", "docker.io", "library/nginx", "latest"],
    ["nginx:1.27", "docker.io", "library/nginx", "1.27"],
    ["team/app", "docker.io", "team/app", "latest"],
    ["docker.io/nginx", "docker.io", "library/nginx", "latest"],
    ["index.docker.io/nginx", "docker.io", "library/nginx", "latest"],
    ["ghcr.io/team/app:v1", "ghcr.io", "team/app", "v1"],
    ["registry.example.com/app", "registry.example.com", "app", "latest"],
    ["localhost/app", "localhost", "app", "latest"],
    ["localhost:5000/app", "localhost:5000", "app", "latest"],
    ["registry:5000/team/app:v1", "registry:5000", "team/app", "v1"],
  ])("%s", (reference, registry, repository, tag) => {
    const whole = `${registry}/${repository}:${tag}`;
    expect(imageUse(reference)).toEqual({
      node: { kind: "ContainerImage", namespace: "", name: `ref:${whole}` },
      properties: { reference: whole, registry, repository, tag },
    });
  });
});

describe("an image is named by its digest", () => {
  test.each([
    ["as containerd reports it", "nginx", `docker.io/library/nginx@${digest}`],
    ["as Docker does", "nginx", `docker-pullable://nginx@${digest}`],
    ["of an image that was never pulled", "nginx", `docker://${digest}`],
    ["alone", "nginx", digest],
    ["as a bare number", "nginx", digest.slice("sha256:".length)],
    ["from the reference", `nginx@${digest}`, ""],
  ])("%s", (_how, reference, imageId) => {
    expect(imageUse(reference, imageId)?.node.name).toBe(digest);
  });

  test("and what runs goes before what was asked for", () => {
    const other = `sha256:${"0b".repeat(32)}`;
    expect(imageUse(`nginx:1.27@${other}`, `nginx@${digest}`)).toEqual({
      node: { kind: "ContainerImage", namespace: "", name: digest },
      properties: {
        reference: `docker.io/library/nginx:1.27@${other}`,
        registry: "docker.io",
        repository: "library/nginx",
        tag: "1.27",
      },
    });
  });
});

test.each([undefined, "", 5, {}])("no image: %j", (reference) => {
  expect(imageUse(reference, digest)).toBeUndefined();
});
