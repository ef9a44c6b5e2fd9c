import type { DomainName } from "@bowline/api";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { policyWords, providerWords } from "./domain-facts.ts";

/** Which hosts it has, who is told of their records, and which clusters those lead to. */
export function DomainSettings({ domain: { spec } }: { domain: DomainName }): ReactNode {
  const { domain, zone = domain, credential, clusters, weights, regions, ttl, failover } = spec;
  return (
    <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-y-1">
      <Line name="Domain">
        <code>{cleanText(domain, 253)}</code> and every host below it
      </Line>
      <Line name="Zone">
        <code>{cleanText(zone, 253)}</code>
      </Line>
      <Line name="Written by">{cleanText(providerWords(spec), 500)}</Line>
      <Line name="Credential">{cleanText(credential ?? "none: updates are not signed", 253)}</Line>
      <Line name="Leads to">{policyWords(spec.policy)}</Line>
      <Line name="Clusters">
        {clusters === undefined ? (
          "all that the Gateways are in, none preferred"
        ) : (
          <Preferred clusters={clusters} />
        )}
      </Line>
      {weights !== undefined && <Line name="Weights">{pairs(weights)}</Line>}
      {regions !== undefined && <Line name="Regions">{pairs(regions)}</Line>}
      <Line name="Remembered for">{cleanText(ttl, 32)}</Line>
      <Line name="Is lost after">{cleanText(failover.after, 32)} without an answer</Line>
      <Line name="Comes back">
        {failover.return === "manual"
          ? "when somebody changes the order of the clusters"
          : `after ${cleanText(failover.returnAfter, 32)} of answers`}
      </Line>
      <Line name="When it goes">
        {spec.deletionPolicy === "orphan" ? "records stay as they are" : "records are removed"}
      </Line>
    </dl>
  );
}

function Preferred({ clusters }: { clusters: readonly string[] }): ReactNode {
  return (
    <ol aria-label="Clusters in order" className="inline-flex flex-wrap gap-x-1">
      {clusters.map((cluster, index) => (
        <li key={cluster}>
          <Link to="/c/$cluster" params={{ cluster }}>
            {cleanText(cluster, 63)}
          </Link>
          {index < clusters.length - 1 && <span className="text-muted">, then</span>}
        </li>
      ))}
    </ol>
  );
}

function pairs(values: Readonly<Record<string, string | number>>): string {
  const texts = Object.entries(values).map(([cluster, value]) => `${cluster} ${value}`);
  return cleanText(texts.join(", "), 2_000);
}

function Line({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}
