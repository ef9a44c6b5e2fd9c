import type { AccessGrant } from "@bowline/api";
import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { formatTime } from "../../text/time.ts";
import { usePreferences } from "../../ui/preferences.ts";
import type { AccessWorld } from "./access-world.ts";
import { previewGrant } from "./grant-preview.ts";

export interface GrantPreviewPaneProps {
  /** Undefined while the form means nothing yet. */
  readonly spec: AccessGrant["spec"] | undefined;
  readonly world: AccessWorld;
}

const maxNames = 30;

/** What the grant would give, while it is being written. */
export function GrantPreviewPane({ spec, world }: GrantPreviewPaneProps): ReactNode {
  const { timeZone } = usePreferences();
  return (
    <section
      aria-label="What this grant gives"
      className="self-start rounded-md border border-border bg-surface p-3"
    >
      <h3 className="mb-2 text-lg">What this grant gives</h3>
      {spec === undefined ? (
        <p className="text-muted">Nothing yet: the form is not complete.</p>
      ) : (
        <Gives {...{ spec, world, timeZone }} />
      )}
    </section>
  );
}

function Gives({
  spec,
  world,
  timeZone,
}: {
  spec: AccessGrant["spec"];
  world: AccessWorld;
  timeZone: string;
}): ReactNode {
  const { people, groups, clusters, asUser, asGroups, namespaces, endsAtMs, warnings } = previewGrant(
    spec,
    world,
  );
  return (
    <>
      <dl className="space-y-2">
        <Line name="Who">
          {people.length === 0 ? "nobody who has a User here" : names(people.map(personText))}
          {groups.length > 0 && (
            <span className="block text-muted">
              {groups
                .map(({ name, members }) => `${cleanText(name)}: ${members} of the Users here`)
                .join("; ")}
              , and whom else the issuer puts there
            </span>
          )}
        </Line>
        <Line name={`Clusters now (${clusters.length} of ${world.clusters.length})`}>
          {clusters.length === 0 ? "none" : names(clusters)}
        </Line>
        <Line name="As">
          <span className="font-mono">{asUser === undefined ? "their own name" : cleanText(asUser)}</span>
          {asGroups.length === 0 ? ", in no group" : ` in ${names(asGroups)}`}
        </Line>
        <Line name="Namespaces">
          {namespaces === undefined
            ? "all, and what is in none"
            : `${names(namespaces)}, and nothing outside of namespaces`}
        </Line>
        <Line name="Until">
          {endsAtMs === undefined ? "somebody deletes it" : formatTime(endsAtMs, timeZone)}
        </Line>
      </dl>
      {warnings.length > 0 && (
        <ul aria-label="Warnings" className="mt-3 space-y-1">
          {warnings.map((warning) => (
            <li key={warning} className="text-missing">
              <span aria-hidden="true">▲ </span>
              {cleanText(warning, 300)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  );
}

function personText({
  name,
  through,
  isDisabled,
}: {
  name: string;
  through: string | undefined;
  isDisabled: boolean;
}): string {
  return `${name}${through === undefined ? "" : ` (by ${through})`}${isDisabled ? " (disabled)" : ""}`;
}

function names(all: readonly string[]): string {
  const shown = all
    .slice(0, maxNames)
    .map((name) => cleanText(name, 100))
    .join(", ");
  return all.length > maxNames ? `${shown} and ${all.length - maxNames} more` : shown;
}
