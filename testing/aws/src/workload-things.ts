import type { AwsWorld } from "./world/aws-world.ts";

/** What a Service of type LoadBalancer leaves in the account; the function takes the load balancer away. */
export function addLoadBalancer(world: AwsWorld, cluster: string, name: string): () => void {
  const { vpcId, subnetIds } = world.clusters.get(cluster);
  const group = world.newId("sg");
  world.securityGroups.add({
    ...world.thing(group, world.arn("ec2", `security-group/${group}`), ownedBy(cluster)),
    vpcId,
    name: `k8s-elb-${name}`,
  });
  const id = world.newId("eni");
  world.interfaces.add({
    ...world.thing(id, world.arn("ec2", `network-interface/${id}`)),
    vpcId,
    subnetId: subnetIds[0] ?? "",
    description: `ELB ${name}`,
    interfaceType: "interface",
    groupIds: [group],
    status: "in-use",
  });
  return () => world.interfaces.remove(id);
}

/** An interface that a node's network plugin has forgotten. */
export function addForgottenInterface(world: AwsWorld, cluster: string): string {
  const { vpcId, subnetIds } = world.clusters.get(cluster);
  const id = world.newId("eni");
  world.interfaces.add({
    ...world.thing(id, world.arn("ec2", `network-interface/${id}`), ownedBy(cluster)),
    vpcId,
    subnetId: subnetIds.at(-1) ?? "",
    description: "aws-K8S-i-0123456789abcdef0",
    interfaceType: "interface",
    groupIds: [],
    status: "available",
  });
  return id;
}

/** The disk of a PersistentVolumeClaim; the function takes it away. */
export function addVolume(world: AwsWorld, cluster: string): { readonly arn: string; remove(): void } {
  const id = world.newId("vol");
  const arn = world.arn("ec2", `volume/${id}`);
  world.volumes.add({ ...world.thing(id, arn, ownedBy(cluster)), state: "available" });
  return { arn, remove: () => world.volumes.remove(id) };
}

function ownedBy(cluster: string): Record<string, string> {
  return { [`kubernetes.io/cluster/${cluster}`]: "owned" };
}
