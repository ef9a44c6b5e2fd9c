import type { PortFacts } from "./cluster-facts.ts";
import type { PortRule } from "./target-query.ts";

/** Whether the port is one that is asked for. A target whose port nobody declares has none, and is only taken unasked. */
export function matchesPort(rule: PortRule | undefined, port: PortFacts | undefined): boolean {
  if (rule === undefined) return true;
  if (port === undefined) return false;
  return "names" in rule ? rule.names.includes(port.name) : rule.number === port.number;
}
