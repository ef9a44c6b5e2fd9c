/**
 * Which protocol a connection speaks, by what its client offers. Whoever offers HTTP/1.1 gets it: browsers, kubectl and
 * the command line, which offer both. Whoever offers only HTTP/2 is an agent. Undefined refuses the connection.
 */
export function chooseProtocol(offered: readonly string[], takesAgents: boolean): string | undefined {
  if (offered.includes("http/1.1")) return "http/1.1";
  return takesAgents && offered.includes(agentProtocol) ? agentProtocol : undefined;
}

/** What agents offer, and nothing beside it. */
export const agentProtocol = "h2";
