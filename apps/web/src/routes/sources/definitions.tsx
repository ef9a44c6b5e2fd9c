import { WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { HealthMark, healthRank, type HealthName } from "../../ui/health-mark.tsx";
import { ObjectList } from "../../ui/object-list.tsx";
import type { TableColumn } from "../../ui/table-rows.ts";
import { kindColumns } from "../kind-columns.ts";
import { ManagedByGit } from "../managed-by-git.tsx";
import { EditManifests } from "./edit-manifests.tsx";

/** Where workloads come from: definitions, what each is made of, and who uses it. */
export function Definitions({ tabs }: { tabs: ReactNode }): ReactNode {
  const search = useSearch({ from: "/_in/sources" });
  const navigate = useNavigate();
  const list = useObjects(WorkloadDefinition);
  const instances = useObjects(WorkloadInstance);
  const { items } = list;
  const users = useMemo(
    () => Map.groupBy(instances.items.values(), ({ spec }) => spec.definition),
    [instances],
  );
  const hasGit = [...items.values()].some(({ spec }) => spec.source.git !== undefined);
  const columns = useMemo(() => sourceColumns(users, hasGit), [users, hasGit]);
  const opened = [...items.values()].find(({ metadata }) => metadata.name === search.open);
  const set = (change: { q?: string; sort?: string; desc?: boolean; open?: string }): void =>
    void navigate({ to: "/sources", search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <>
      <ObjectList
        title="Sources"
        kind="workloaddefinitions"
        exportName="sources"
        what="the definitions"
        empty={
          <>
            No definition yet. Whoever deploys manifests makes one:{" "}
            <code>bowline deploy FILE --cluster NAME</code>.
          </>
        }
        list={list}
        columns={columns}
        search={search}
        onSearch={set}
        onOpen={({ metadata }) => set({ open: metadata.name })}
        mark={definitionMark}
        tabs={tabs}
      />
      {opened !== undefined && (
        <Definition
          definition={opened}
          instances={users.get(opened.metadata.name) ?? []}
          onClose={() => set({ open: "" })}
        />
      )}
    </>
  );
}

type Users = ReadonlyMap<string, readonly WorkloadInstance[]>;

/** Those that only a definition from git has. */
const gitHeaders = ["GIT-URL", "REF", "COMMIT"];

/** The columns of the API, with who uses each. */
function sourceColumns(users: Users, hasGit: boolean): TableColumn<WorkloadDefinition>[] {
  const leftOut = hasGit ? ["READY"] : ["READY", ...gitHeaders];
  return [
    ...kindColumns(WorkloadDefinition, leftOut),
    {
      header: "HEALTH",
      text: (definition) => definitionHealth(definition),
      sortKey: (definition) => healthRank[definitionHealth(definition)],
    },
    {
      header: "SOURCE",
      text: ({ spec }) => (spec.source.git === undefined ? "inline" : "git"),
      width: "5rem",
    },
    {
      header: "INSTANCES",
      text: ({ metadata }) => String(users.get(metadata.name)?.length ?? 0),
      sortKey: ({ metadata }) => users.get(metadata.name)?.length ?? 0,
      isNumber: true,
      width: "6rem",
    },
  ];
}

function definitionHealth({ status }: WorkloadDefinition): HealthName {
  const ready = status.conditions.find(({ type }) => type === "Ready");
  if (ready === undefined) return "Unknown";
  return ready.status === "True" ? "Healthy" : ready.status === "False" ? "Degraded" : "Progressing";
}

function definitionMark(definition: WorkloadDefinition): ReactNode {
  return <HealthMark health={definitionHealth(definition)} word={false} />;
}

/** As much of manifests as is shown at once. */
const maxShown = 60_000;

interface DefinitionProps {
  readonly definition: WorkloadDefinition;
  readonly instances: readonly WorkloadInstance[];
  readonly onClose: () => void;
}

function Definition({ definition, instances, onClose }: DefinitionProps): ReactNode {
  const { metadata, spec, status } = definition;
  const ready = status.conditions.find(({ type }) => type === "Ready");
  const { inline, git } = spec.source;
  const manifests = inline?.manifests ?? "";
  const [isEditing, setEditing] = useState(false);
  if (isEditing) {
    return (
      <Dialog title={`Change ${cleanText(metadata.name, 80)}`} onClose={onClose}>
        <EditManifests definition={definition} instances={instances} onDone={() => setEditing(false)} />
      </Dialog>
    );
  }
  return (
    <Dialog title={cleanText(metadata.name, 80)} onClose={onClose}>
      <div className="space-y-3">
        <ManagedByGit object={definition} />
        <p className="wrap-anywhere">
          <HealthMark health={definitionHealth(definition)} /> {cleanText(ready?.message ?? "")}
        </p>
        <p>
          Revision <code className="wrap-anywhere">{status.revision?.id ?? "–"}</code>
          {status.revision !== undefined && (
            <span className="text-muted">
              {" "}
              since <Age at={status.revision.resolvedAt} />
            </span>
          )}
          , {status.resources ?? "–"} objects
        </p>
        <p>
          {git === undefined
            ? "The manifests are in the definition itself."
            : cleanText(`${git.url} at ${git.ref}, ${git.path}`, 500)}
        </p>
        <div>
          <h3>Instances</h3>
          {instances.length === 0 && <p className="text-muted">Nobody uses it.</p>}
          <ul>
            {instances.map(({ metadata: { id, name } }) => (
              <li key={id}>
                <Link to="/workloads/$name" params={{ name }}>
                  {cleanText(name)}
                </Link>
              </li>
            ))}
          </ul>
        </div>
        {inline !== undefined && <Button onClick={() => setEditing(true)}>Change the manifests</Button>}
        {manifests !== "" && (
          <details>
            <summary className="cursor-pointer">Manifests</summary>
            <pre className="overflow-auto rounded-sm border border-border bg-surface p-2 font-mono">
              {manifests
                .slice(0, maxShown)
                .split("\n")
                .map((line) => cleanText(line))
                .join("\n")}
            </pre>
            {manifests.length > maxShown && (
              <p className="text-muted">{manifests.length - maxShown} more characters are not shown.</p>
            )}
          </details>
        )}
      </div>
    </Dialog>
  );
}
