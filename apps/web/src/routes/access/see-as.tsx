import { useMemo, type ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { formatTime } from "../../text/time.ts";
import { Button } from "../../ui/button.tsx";
import { fieldClass, FormField } from "../../ui/form-field.tsx";
import { usePreferences } from "../../ui/preferences.ts";
import { Empty } from "../../ui/states.tsx";
import type { AccessWorld } from "./access-world.ts";
import { reachOf } from "./access-matrix.ts";
import type { AccessChange } from "./access-search.ts";

export interface SeeAsProps {
  readonly world: AccessWorld;
  /** `user:NAME` or `group:NAME`; oneself when not given. */
  readonly as: string | undefined;
  readonly onSet: (change: AccessChange) => void;
}

/** What somebody would reach through Bowline; what they may do there, each cluster decides. */
export function SeeAs({ world, as, onSet }: SeeAsProps): ReactNode {
  const { users, me, clusters } = world;
  const { timeZone } = usePreferences();
  const chosen = as ?? `user:${me.user}`;
  const identity = useMemo(() => identityOf(chosen, world), [chosen, world]);
  const reach = useMemo(() => reachOf(identity, world), [identity, world]);
  const reached = new Set(reach.map(({ cluster }) => cluster)).size;
  const isGroup = chosen.startsWith("group:");
  return (
    <div className="overflow-auto p-4">
      <div className="max-w-sm">
        <FormField label="See as" help="By AccessGrants as they are now. Nothing is done in their name.">
          {(ids) => (
            <select
              {...ids}
              className={fieldClass}
              value={chosen}
              onChange={({ target }) => onSet({ as: target.value })}
            >
              {!users.some(({ metadata }) => `user:${metadata.name}` === chosen) && (
                <option value={chosen}>{cleanText(chosen.replace(/^(?:user|group):/u, ""))}</option>
              )}
              {users.map(({ metadata }) => (
                <option key={metadata.id} value={`user:${metadata.name}`}>
                  {cleanText(metadata.name)}
                </option>
              ))}
            </select>
          )}
        </FormField>
      </div>
      <p className="mt-3">
        {isGroup ? "A member of " : ""}
        <strong>{cleanText(chosen.replace(/^(?:user|group):/u, ""))}</strong>
        {identity.note} reaches {reached} of {clusters.length}{" "}
        {clusters.length === 1 ? "cluster" : "clusters"}
        {identity.groups.length === 0 ? "." : `, being in ${cleanText(identity.groups.join(", "), 300)}.`}
      </p>
      {reach.length === 0 ? (
        <Empty>
          No AccessGrant is for them, so Bowline lets them into no cluster, whatever their role is.
        </Empty>
      ) : (
        <div className="mt-3 overflow-x-auto">
          <table className="text-left">
            <thead className="text-xs text-muted">
              <tr>
                {["Cluster", "As user", "In groups", "Namespaces", "Until", "By the grant"].map((title) => (
                  <th key={title} scope="col" className="pr-5 pb-1 font-semibold">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {reach.map(({ cluster, grant: { metadata, spec }, asUser }) => (
                <tr key={`${cluster} ${metadata.id}`} className="border-t border-border/60 align-baseline">
                  <th scope="row" className="py-1 pr-5 font-semibold">
                    {cleanText(cluster)}
                  </th>
                  <td className="py-1 pr-5 font-mono">
                    {isGroup && spec.kubernetes.user === undefined ? "their name" : cleanText(asUser)}
                  </td>
                  <td className="py-1 pr-5 font-mono">
                    {cleanText(spec.kubernetes.groups.join(", "), 200) || "–"}
                  </td>
                  <td className="py-1 pr-5">{cleanText(spec.namespaces?.join(", ") ?? "all", 200)}</td>
                  <td className="py-1 pr-5">
                    {spec.expiresAt === undefined ? "–" : formatTime(Date.parse(spec.expiresAt), timeZone)}
                  </td>
                  <td className="py-1">
                    <Button look="link" onClick={() => onSet({ edit: `grant/${metadata.name}` })}>
                      {cleanText(metadata.name)}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

interface SeenIdentity {
  readonly user: string;
  readonly groups: readonly string[];
  /** What goes before all grants. */
  readonly note: string;
}

function identityOf(chosen: string, { users, me }: AccessWorld): SeenIdentity {
  if (chosen.startsWith("group:")) return { user: "", groups: [chosen.slice("group:".length)], note: "" };
  const name = chosen.slice("user:".length);
  const found = users.find(({ metadata }) => metadata.name === name);
  if (name === me.user) return { user: name, groups: me.groups, note: "" };
  const note = found === undefined ? " (no User here)" : found.spec.disabled ? " (disabled: kept out)" : "";
  return { user: name, groups: found?.spec.groups ?? [], note };
}
