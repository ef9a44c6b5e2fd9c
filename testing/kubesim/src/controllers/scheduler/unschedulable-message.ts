/** `0/3 nodes are available: 2 Insufficient cpu, 1 node(s) were unschedulable.` */
export function unschedulableMessage(nodeCount: number, refusals: ReadonlyMap<string, number>): string {
  if (nodeCount === 0) return "no nodes available to schedule pods";
  const reasons = [...refusals].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodeCount} nodes are available: ${reasons.join(", ")}.`;
}
