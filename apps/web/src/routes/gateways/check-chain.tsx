import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { HealthMark } from "../../ui/health-mark.tsx";
import { checkHealth, type GatewayCheck } from "./gateway-facts.ts";

/** In the order in which one needs the other, and what each is about. */
const order = ["Class", "Certificate", "Listener", "Route", "Record", "Reachable"] as const;

const meanings: Readonly<Record<GatewayCheck["type"], string>> = {
  Class: "an implementation of the Gateway API takes it",
  Certificate: "its certificate is there",
  Listener: "the entry listens for its hosts, and has an address",
  Route: "requests are led to its services",
  Record: "DNS leads to the entry",
  Reachable: "a request from outside is answered",
};

const words: Readonly<Record<GatewayCheck["status"], string>> = {
  True: "yes",
  False: "no",
  Unknown: "unknown",
};

interface CheckChainProps {
  readonly label: string;
  readonly checks: readonly GatewayCheck[];
}

/** What has to be so for a host to answer, one after the other: the first that is not so is what to look at. */
export function CheckChain({ label, checks }: CheckChainProps): ReactNode {
  const sorted = checks.toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type));
  const first = sorted.findIndex(({ status }) => status === "False");
  return (
    <ol aria-label={label} className="grid gap-2">
      {sorted.map((check, index) => (
        <Check key={check.type} check={check} isFirstTrouble={index === first} />
      ))}
    </ol>
  );
}

function Check({ check, isFirstTrouble }: { check: GatewayCheck; isFirstTrouble: boolean }): ReactNode {
  const { type, status, reason, message } = check;
  return (
    <li className={`border-l-2 pl-3 ${isFirstTrouble ? "border-degraded" : "border-border"}`}>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <HealthMark health={checkHealth(status, reason)} word={false} />
        <span className="font-semibold">{type}</span>
        <span className="text-muted">
          {words[status]}: {meanings[type]}
        </span>
        {status !== "True" && <span className="font-mono text-xs">{cleanText(reason, 128)}</span>}
      </p>
      {message !== "" && (
        <p className={`wrap-anywhere ${isFirstTrouble ? "" : "text-muted"}`}>{cleanText(message, 1_024)}</p>
      )}
    </li>
  );
}
