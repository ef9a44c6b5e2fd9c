import { describe, expect, test } from "vitest";

import { nodeName, nodeParameter, parseNodeArguments } from "./node-argument.ts";

const parsed = (line: string, namespace?: string): string =>
  nodeParameter(parseNodeArguments(line.split(" "), namespace));

describe("a node on a command line", () => {
  test.each([
    ["secret/shop/db", undefined, "Secret/shop/db"],
    ["Secrets/shop/db", undefined, "Secret/shop/db"],
    ["cm/settings", "shop", "ConfigMap/shop/settings"],
    ["cm settings", "shop", "ConfigMap/shop/settings"],
    ["pvc/other/data", "shop", "PersistentVolumeClaim/other/data"],
    ["netpol/shop/all", undefined, "NetworkPolicy/shop/all"],
    ["networkpolicies/shop/all", undefined, "NetworkPolicy/shop/all"],
    ["ingresses/shop/web", undefined, "Ingress/shop/web"],
    ["deploy web", "shop", "Deployment/shop/web"],
    ["no/worker-1", undefined, "Node//worker-1"],
    ["node//worker-1", undefined, "Node//worker-1"],
    ["node worker-1", "shop", "Node//worker-1"],
    ["image/example.test/shop:1.4", "shop", "ContainerImage//example.test/shop:1.4"],
    ["image nginx:1.27", undefined, "ContainerImage//nginx:1.27"],
    ["ContainerImage//sha256:00", undefined, "ContainerImage//sha256:00"],
    ["user/https://issuer.example/somebody", undefined, "User//https://issuer.example/somebody"],
    ["container/shop/web-1/containers/app", undefined, "Container/shop/web-1/containers/app"],
    ["Rollout.argoproj.io/shop/web", undefined, "Rollout.argoproj.io/shop/web"],
    ["Rollout.argoproj.io/web", "shop", "Rollout.argoproj.io/shop/web"],
    ["ClusterIssuer.cert-manager.io/web", undefined, "ClusterIssuer.cert-manager.io//web"],
  ])("%s in %s is %s", (line, namespace, parameter) => {
    expect(parsed(line, namespace)).toBe(parameter);
  });

  test.each([
    ["secret/db", "Say in which namespace: secret/NAMESPACE/db, or use -n NAMESPACE."],
    ["secret", "Say which secret: secret/NAMESPACE/NAME."],
    ["secret/shop/", "Say in which namespace: secret/NAMESPACE/NAME, or use -n NAMESPACE."],
    ["node/", "Say which node: node/NAME."],
    ["secret/shop/db other", "Name one thing"],
    ["secret db other", "Name one thing"],
    ["sceret/shop/db", "There is no kind «sceret»; did you mean «secret»?"],
    ["zzzzzz/shop/db", "There is no kind «zzzzzz»: use one such as secret, cm"],
  ])("%s is refused", (line, sentence) => {
    expect(() => parsed(line)).toThrow(sentence);
  });

  test("is printed as it can be typed again", () => {
    expect(nodeName({ kind: "Secret", namespace: "shop", name: "db" })).toBe("secret/shop/db");
    expect(nodeName({ kind: "Node", namespace: "", name: "worker-1" })).toBe("node/worker-1");
    expect(nodeName({ kind: "ContainerImage", namespace: "", name: "ref:nginx:1" })).toBe("image/nginx:1");
    const rollout = { kind: "Rollout.argoproj.io", namespace: "shop", name: "web" };
    expect(nodeName(rollout)).toBe("Rollout.argoproj.io/shop/web");
  });
});
