import { tunnelProtocol } from "@bowline/protocol";

/**
 * Which protocol a connection speaks, by what its client offers. Whoever offers HTTP/1.1 gets it: browsers, kubectl and
 * the command line, which offer HTTP/2 as well. Whoever does not is an agent, with its calls or with a tunnel. Undefined
 * refuses the connection.
 */
export function chooseProtocol(offered: readonly string[], takesAgents: boolean): string | undefined {
  if (offered.includes("http/1.1")) return "http/1.1";
  return takesAgents ? agentProtocols.find((protocol) => offered.includes(protocol)) : undefined;
}

/** What only agents offer, the best first: a connection for one tunnel, and HTTP/2 for all their calls. */
const agentProtocols: readonly string[] = [tunnelProtocol, "h2"];

export function isAgentProtocol(protocol: string | false | null | undefined): boolean {
  return typeof protocol === "string" && agentProtocols.includes(protocol);
}
