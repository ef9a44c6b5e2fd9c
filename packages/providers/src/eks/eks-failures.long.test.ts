import { addForgottenInterface, addLoadBalancer, addVolume } from "@bowline/test-aws";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { DrivenCluster } from "./testing/driven-cluster.ts";
import { eksSpec, openEksWorld, testKey, testName, type EksWorld } from "./testing/eks-stage.ts";

let world: EksWorld;
let cluster: DrivenCluster;

beforeEach(async () => {
  world = await openEksWorld();
  cluster = new DrivenCluster(world);
});
afterEach(() => world[Symbol.asyncDispose]());

const settings = () => world.aws.world.settings;
const eks = () => eksSpec.eks ?? { nodeGroups: [] };

describe("what AWS answers instead", () => {
  test("five minutes of throttling and of errors are waited for", async () => {
    for (const kind of ["throttle", "error"] as const) {
      const mend = world.aws.faults.plan({ fault: { kind }, times: Infinity });
      const until = world.clock.now() + 5 * 60_000;
      while (world.clock.now() < until) {
        expect(await cluster.round()).toMatchObject({ state: "creating", retryAfterMs: 30_000 });
        await world.pass(30_000);
      }
      mend();
    }
    await cluster.made();
    expect(world.everything()).toEqual(world.complete(eksSpec));
  });

  test("a session that ends in the middle is followed by another one", async () => {
    const roleArn = world.aws.addAssumableRole("bowline", { externalId: "x1" });
    cluster = new DrivenCluster(world, { ...testKey, roleArn, externalId: "x1" });
    await cluster.until({ state: "creating", reason: "CreatingControlPlane" });
    world.aws.principals.endSessions();
    expect(await cluster.round()).toMatchObject({ state: "creating", reason: "CreatingControlPlane" });
    await cluster.made();
    expect(world.aws.calls.filter((call) => call === "sts:AssumeRole").length).toBeGreaterThan(1);
    const [entry] = world.aws.world.accessEntries.all;
    expect(entry?.principalArn).toBe(roleArn);
    await cluster.deleted();
  });

  test("a role that was revoked, or does not know the external id, blocks until that is mended", async () => {
    const roleArn = world.aws.addAssumableRole("bowline", { externalId: "other" });
    cluster = new DrivenCluster(world, { ...testKey, roleArn, externalId: "x1" });
    const answer = await cluster.round();
    expect(answer).toMatchObject({ state: "blocked", reason: "NotPermitted" });
    expect(answer.message).toContain("sts:AssumeRole");
    world.aws.assumableRoles.set(roleArn, { externalId: "x1" });
    await cluster.made();
  });

  test("an action that is denied is named, and goes on when it is allowed", async () => {
    const allow = world.aws.faults.plan({
      action: "ec2:CreateSubnet",
      fault: { kind: "deny" },
      times: Infinity,
    });
    const { message } = await cluster.until({ state: "blocked" });
    expect(message).toContain(
      "arn:aws:iam::111122223333:user/bowline is not authorized to perform: ec2:CreateSubnet",
    );
    allow();
    await cluster.made();
    expect(world.everything()).toEqual(world.complete(eksSpec));
  });

  test("a clock that is an hour wrong is learned from the answer", async () => {
    world.aws.skewMs = 3_600_000;
    await cluster.made();
    const { kubeconfig } = await world.provider().credentials(cluster.wanted);
    const token: string = JSON.parse(kubeconfig).users[0].user.token;
    const url = new URL(Buffer.from(token.slice("k8s-aws-v1.".length), "base64url").toString("utf8"));
    expect(world.aws.identify(url, { "x-k8s-aws-id": testName })).toContain("user/bowline");
  });

  test("lists that lag behind make nothing twice", async () => {
    world.aws.world.lagMs = 8_000;
    await cluster.made();
    expect(world.everything()).toEqual(world.complete(eksSpec));
  });
});

describe("what the account does not have", () => {
  test("a quota that is hit at the third subnet blocks, and goes on when there is more", async () => {
    settings().quotas.subnetsPerVpc = 2;
    const answer = await cluster.until({ state: "blocked" });
    expect(answer).toMatchObject({ reason: "QuotaTooLow" });
    expect(world.aws.world.subnets.all).toHaveLength(2);
    settings().quotas.subnetsPerVpc = 200;
    await cluster.made();
    expect(world.everything()).toEqual(world.complete(eksSpec));
  });

  test("addresses, versions, types and the boundary are looked for before anything is made", async () => {
    settings().quotas.addresses = 0;
    expect(await cluster.round()).toMatchObject({ state: "blocked", reason: "QuotaTooLow" });
    settings().quotas.addresses = 5;
    settings().versions = ["1.34"];
    expect(await cluster.round()).toMatchObject({ state: "blocked", reason: "VersionNotOffered" });
    settings().versions = ["1.34", "1.32"];
    settings().missingOfferings = { "eu-west-1a": ["m7g.large"], "eu-west-1c": ["m7g.large"] };
    expect(await cluster.round()).toMatchObject({ state: "blocked", reason: "ZoneHasNoCapacity" });
    settings().missingOfferings = { "eu-west-1a": ["m7g.large"] };
    const [policy] = world.aws.world.policies.all;
    world.aws.world.policies.remove(policy?.id ?? "");
    expect((await cluster.round()).message).toContain("bowline cluster policy --boundary");
    expect(world.everything()).toEqual({});
    world.aws.addPolicy("bowline-boundary");
    await cluster.made();
    const zones = new Set(world.aws.world.subnets.all.map(({ zone }) => zone));
    expect([...zones]).toEqual(["eu-west-1b", "eu-west-1c"]);
  });

  test("a control plane and nodes that fail say why, and are made again when they were taken away", async () => {
    settings().clusterFailure = { code: "InsufficientFreeAddresses", message: "no addresses." };
    const ofPlane = await cluster.until({ state: "blocked" });
    expect(ofPlane).toMatchObject({ reason: "CreatingControlPlane" });
    expect(ofPlane.message).toContain("InsufficientFreeAddresses: no addresses.");
    for (const each of world.aws.world.interfaces.all) world.aws.world.interfaces.remove(each.id);
    world.aws.world.clusters.remove(testName);
    settings().nodegroupFailure = { code: "NodeCreationFailure", message: "they did not join." };
    const ofNodes = await cluster.until({ state: "blocked", reason: "CreatingNodes" });
    expect(ofNodes.message).toContain("they did not join.");
    for (const { id } of world.aws.world.nodegroups.all) world.aws.world.nodegroups.remove(id);
    await cluster.made();
    for (const group of world.aws.world.nodegroups.all) {
      group.issue = { code: "AsgInstanceLaunchFailures", message: "no machines." };
    }
    expect(await cluster.round()).toMatchObject({
      state: "blocked",
      reason: "CreatingNodes",
      message: expect.stringContaining("AsgInstanceLaunchFailures: no machines."),
    });
    for (const group of world.aws.world.nodegroups.all) delete group.issue;
    await cluster.made();
  });
});

describe("a NAT gateway that fails", () => {
  const failure = { code: "Gateway.NotAttached", message: "Network vpc-1 has no internet gateway attached." };

  test("says why, is not made again and again, and goes on when it was deleted", async () => {
    settings().natGatewayFailure = failure;
    const answer = await cluster.until({ state: "blocked" });
    expect(answer).toMatchObject({ reason: "CreatingNetwork" });
    expect(answer.message).toContain(`${failure.code}: ${failure.message}`);
    const { natGateways } = world.aws.world;
    for (let round = 0; round < 5; round += 1) {
      await world.pass(60_000);
      expect(await cluster.round()).toMatchObject({ state: "blocked", reason: "CreatingNetwork" });
    }
    expect(natGateways.all).toHaveLength(1);
    const [failed] = natGateways.all;
    // As a person does it, or AWS itself after an hour.
    if (failed !== undefined) failed.deletedAtMs = world.clock.now();
    await cluster.made();
    expect(world.everything()).toEqual(world.complete(eksSpec));
  });

  test("goes with the cluster", async () => {
    settings().natGatewayFailure = failure;
    await cluster.until({ state: "blocked" });
    await cluster.deleted();
    expect(world.everything()).toEqual({});
  });
});

describe("what others do meanwhile", () => {
  test("a NAT gateway that was deleted by hand is made again, and routes lead to it", async () => {
    await cluster.made();
    const { natGateways, routeTables } = world.aws.world;
    for (const nat of natGateways.all) nat.deletedAtMs = world.clock.now();
    expect(await cluster.round()).toMatchObject({ state: "updating" });
    await cluster.made();
    const living = natGateways.all.find(({ deletedAtMs }) => deletedAtMs === undefined);
    const targets = routeTables.all.flatMap(({ routes }) => routes.map(({ target }) => target));
    expect(targets).toContain(living?.id);
  });

  test("records from an old backup find what was made since", async () => {
    await cluster.made();
    const restored = new DrivenCluster(world);
    await restored.made();
    expect(world.everything()).toEqual(world.complete(eksSpec));
    await restored.deleted();
    expect(world.everything()).toEqual({});
  });

  test("a given network is used, and left as it was", async () => {
    await cluster.made();
    const { vpcs, subnets, routeTables } = world.aws.world;
    const foreign = () => structuredClone([vpcs.all, subnets.all, routeTables.all]);
    const before = foreign();
    const subnetIds = subnets.all.slice(0, 2).map(({ id }) => id);
    const spec = {
      ...eksSpec,
      eks: {
        ...eks(),
        network: { vpcId: vpcs.all[0]?.id ?? "", subnetIds, highAvailability: false, privateEndpoint: true },
      },
    };
    const other = new DrivenCluster(world, testKey, spec);
    const work = { ...other.work.cluster, id: "018f0000-0000-7000-8000-0000000000aa", name: "inner" };
    Object.assign(other.work, { cluster: work });
    await other.made();
    expect(world.everything()).toMatchObject({ clusters: 2, vpcs: 1 });
    await other.deleted();
    expect(foreign()).toEqual(before);
    expect(world.everything()).toEqual(world.complete(eksSpec));
  });
});

describe("a change", () => {
  test("goes up by one minor version at a time, the control plane first, and never down", async () => {
    cluster.spec = { ...eksSpec, eks: { ...eks(), kubernetesVersion: "1.31" } };
    await cluster.made();
    cluster.spec = { ...eksSpec, eks: { ...eks(), kubernetesVersion: "1.33" } };
    await cluster.made();
    const updates = world.aws.calls.filter((call) => /Update\w+Version$/u.test(call));
    expect(updates).toEqual([
      "eks:UpdateClusterVersion",
      "eks:UpdateNodegroupVersion",
      "eks:UpdateClusterVersion",
      "eks:UpdateNodegroupVersion",
    ]);
    cluster.spec = { ...eksSpec, eks: { ...eks(), kubernetesVersion: "1.32" } };
    expect(await cluster.round()).toMatchObject({ state: "blocked", reason: "VersionNotOffered" });
  });

  test("of a size resizes the group, and of a type replaces it when the new one is there", async () => {
    await cluster.made();
    const [group] = eks().nodeGroups;
    if (group === undefined) throw new Error("no group");
    cluster.spec = { ...eksSpec, eks: { ...eks(), nodeGroups: [{ ...group, minSize: 2 }] } };
    await cluster.made();
    const { nodegroups } = world.aws.world;
    expect(nodegroups.all.map(({ scaling }) => scaling)).toEqual([
      { minSize: 2, maxSize: 3, desiredSize: 2 },
    ]);
    const [old] = nodegroups.all;
    cluster.spec = { ...eksSpec, eks: { ...eks(), nodeGroups: [{ ...group, instanceType: "m7g.xlarge" }] } };
    await cluster.until({ state: "updating", reason: "CreatingNodes" });
    expect(nodegroups.all).toContain(old);
    await cluster.made();
    expect(nodegroups.all).not.toContain(old);
    expect(nodegroups.all).toHaveLength(1);
  });
});

describe("a deletion", () => {
  test("waits for load balancers, and takes interfaces and groups of workloads with it", async () => {
    await cluster.made();
    const takeAway = addLoadBalancer(world.aws.world, testName, "a1b2");
    addForgottenInterface(world.aws.world, testName);
    const answer = await cluster.until({ reason: "WaitingForLoadBalancers" }, "absent");
    expect(answer.message).toContain("a1b2");
    expect(world.aws.world.nodegroups.all).toHaveLength(1);
    takeAway();
    await cluster.deleted();
    expect(world.everything()).toEqual({});
    expect(world.aws.world.securityGroups.all).toEqual([]);
  });

  test("of a cluster that does not answer goes on, and names the load balancers that hold its network", async () => {
    await using silent = await openEksWorld({
      provider: { removeWorkloads: () => Promise.resolve("unreachable") },
    });
    const mute = new DrivenCluster(silent);
    await mute.made();
    const takeAway = addLoadBalancer(silent.aws.world, testName, "a1b2");
    const answer = await mute.until({ state: "blocked", reason: "WaitingForLoadBalancers" }, "absent");
    expect(answer.message).toContain("load balancer a1b2");
    expect(silent.aws.world.clusters.all).toEqual([]);
    takeAway();
    await mute.deleted();
    expect(silent.everything()).toEqual({});
  });

  test("lists the volumes that are left, and ends when they are gone", async () => {
    await cluster.made();
    const volume = addVolume(world.aws.world, testName);
    const answer = await cluster.until({ state: "blocked", reason: "LeftOver" }, "absent");
    expect(answer.leftOver).toEqual([volume.arn]);
    volume.remove();
    await cluster.deleted();
  });

  test("of a cluster with nodes that nobody here knows of says what holds it", async () => {
    await cluster.made();
    const { nodegroups } = world.aws.world;
    const [group] = nodegroups.all;
    if (group === undefined) throw new Error("no group");
    nodegroups.add({ ...group, id: `${testName}/by-hand`, name: "by-hand", tags: {} });
    const { message } = await cluster.until({ state: "blocked", reason: "LeftOver" }, "absent");
    expect(message).toContain("Cluster has nodegroups attached");
    nodegroups.remove(`${testName}/by-hand`);
    await cluster.deleted();
    expect(world.everything()).toEqual({});
  });

  test("of a cluster whose records are of an old backup takes what was made since with it", async () => {
    await cluster.made();
    const restored = new DrivenCluster(world);
    for (const record of await cluster.work.records.list()) {
      const isOld = !/^(?:nodes|subnet-private|nat)-/u.test(record.step);
      if (isOld) await restored.work.records.put(record);
    }
    await restored.deleted();
    expect(world.everything()).toEqual({});
  });

  test("in the middle of a creation leaves nothing", async () => {
    await cluster.until({ reason: "CreatingControlPlane" });
    await cluster.deleted();
    expect(world.everything()).toEqual({});
  });
});

test("a control plane is reached at its public address from where the server calls, if that is known", async () => {
  await using world = await openEksWorld({ provider: { publicAccess: ["203.0.113.7", "2001:db8::/48"] } });
  const cluster = new DrivenCluster(world);
  await cluster.until({ reason: "CreatingControlPlane" });
  const [made] = world.aws.world.clusters.all;
  expect(made?.settings["resourcesVpcConfig"]).toMatchObject({
    endpointPublicAccess: true,
    publicAccessCidrs: ["203.0.113.7/32", "2001:db8::/48"],
  });
});

test("the direct access is taken back, stays away, and is given again when it is asked for", async () => {
  await cluster.made();
  const provider = world.provider();
  let isRevoked = false;
  while (!isRevoked) {
    isRevoked = await world.provider().revokeCredentials(cluster.wanted);
    await world.pass(10_000);
  }
  expect(world.aws.world.accessEntries.all).toEqual([]);
  expect(await cluster.round()).toMatchObject({ state: "ready" });
  await provider.credentials(cluster.wanted);
  expect(world.aws.world.accessEntries.all).toHaveLength(1);
  await cluster.deleted();
});

test("what a lost database has made is found by the mark of the installation, and nothing else is", async () => {
  await cluster.made();
  const { cluster: known, ...search } = cluster.wanted;
  const missed: string[] = [];
  const here = { ...search, clusters: [known], onMissed: (place: string) => missed.push(place) };
  const orphans = (clusterIds: readonly string[]) =>
    world.provider().orphans({ ...here, clusterIds: new Set(clusterIds) });
  // Whoever asks knows which of them are remembered; what has its name of its cluster is always found again.
  const tokens = new Set((await cluster.work.records.list()).map(({ token }) => token));
  const ofKnown = await orphans([known.id]);
  expect(ofKnown.map(({ type }) => type)).not.toContain("eks:cluster");
  expect(ofKnown.filter(({ token = "" }) => !tokens.has(token))).toEqual([]);
  expect(ofKnown.length).toBeGreaterThan(0);
  const found = await orphans([]);
  expect(found).toHaveLength(13);
  expect(found).toContainEqual(
    expect.objectContaining({ id: testName, type: "eks:cluster", region: "eu-west-1", clusterId: known.id }),
  );
  const others = { ...here, installation: "another", clusterIds: new Set<string>() };
  expect(await world.provider().orphans(others)).toEqual([]);
  expect(missed).toEqual([]);
});

test("a Credential that AWS does not take any more hides no orphans in other places", async () => {
  await cluster.made();
  const { cluster: known, ...search } = cluster.wanted;
  const wrong = { ...known, spec: { ...known.spec, eks: { ...eks(), credential: "wrong" } } };
  const missed: string[] = [];
  const found = await world.provider().orphans({
    ...search,
    clusters: [wrong, known],
    clusterIds: new Set<string>(),
    credential: (name) => Promise.resolve(name === "wrong" ? { ...testKey, secretAccessKey: "no" } : testKey),
    onMissed: (place) => missed.push(place),
  });
  expect(found).toHaveLength(13);
  expect(missed).toEqual(["eu-west-1 by the Credential wrong"]);
});
