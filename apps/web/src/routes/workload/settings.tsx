import { Cluster, printLabelSelector, type WorkloadDefinition, type WorkloadInstance } from "@bowline/api";
import { labelRequirementsOf, matchesLabels } from "@bowline/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";

interface SettingsProps {
  readonly instance: WorkloadInstance;
  readonly definition: WorkloadDefinition | undefined;
}

/** What is deployed, where, with which values and in whose name. */
export function Settings({ instance, definition }: SettingsProps): ReactNode {
  const { spec, status, metadata } = instance;
  return (
    <div className="grid gap-6 p-4 lg:grid-cols-2">
      <section aria-label="Settings">
        <h2 className="mb-2 text-lg">Settings</h2>
        <dl className="grid grid-cols-[9rem_1fr] gap-x-3 gap-y-1">
          <Line name="Definition">
            <Link to="/sources" search={{ open: spec.definition }}>
              {cleanText(spec.definition)}
            </Link>
          </Line>
          <Line name="Namespace">{cleanText(spec.namespace)}</Line>
          <Line name="Placement">
            <PlacementText instance={instance} />
          </Line>
          <Line name="Acts in the name of">
            {cleanText(spec.actingUser ?? status.author?.user ?? "nobody yet")}
            {spec.actingUser === undefined && status.author !== undefined && (
              <span className="text-muted"> (wrote it last)</span>
            )}
          </Line>
          <Line name="Prune">
            {spec.prune
              ? `yes; more than ${spec.pruneLimit.count} or ${spec.pruneLimit.percent} % wait for approval`
              : "no"}
          </Line>
          <Line name="When deleted">
            {spec.deletionPolicy === "retain" ? "resources stay" : "resources go"}
          </Line>
          <Line name="Conflicts">{spec.conflicts}</Line>
          <Line name="Drift">{spec.drift}</Line>
          <Line name="Created">
            <Age at={metadata.createdAt} /> ago
          </Line>
          <Line name="Last written">
            <Age at={metadata.updatedAt} /> ago, generation {metadata.generation}
          </Line>
        </dl>
        <Parameters instance={instance} definition={definition} />
        <Conditions instance={instance} />
      </section>
    </div>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

/** The clusters that are meant; of a selector, those that it takes at the moment. */
function PlacementText({ instance }: { instance: WorkloadInstance }): ReactNode {
  const { items } = useObjects(Cluster);
  const { clusters, selector } = instance.spec.placement;
  if (selector === undefined) return cleanText((clusters ?? ["the default cluster"]).join(", "));
  const requirements = labelRequirementsOf(selector);
  const names = [...items.values()]
    .filter(({ metadata }) => matchesLabels(requirements, metadata.labels))
    .map(({ metadata }) => metadata.name)
    .toSorted();
  const text = printLabelSelector(requirements);
  return (
    <>
      clusters with <code>{cleanText(text === "" ? "any labels" : text, 500)}</code>: now{" "}
      {names.length === 0 ? "none" : cleanText(names.join(", "))}
    </>
  );
}

function Parameters({ instance, definition }: SettingsProps): ReactNode {
  const declared = definition?.spec.parameters ?? [];
  if (declared.length === 0) return null;
  const { parameters } = instance.spec;
  return (
    <>
      <h3 className="mt-4 mb-1">Parameters</h3>
      <dl className="grid grid-cols-[9rem_1fr] gap-x-3 gap-y-1">
        {declared.map(({ name, default: preset, description }) => (
          <Line key={name} name={name}>
            <code>
              {cleanText(Object.hasOwn(parameters, name) ? (parameters[name] ?? "") : (preset ?? "–"), 500)}
            </code>
            {!Object.hasOwn(parameters, name) && <span className="text-muted"> by default</span>}
            {description !== undefined && (
              <span className="text-muted"> · {cleanText(description, 300)}</span>
            )}
          </Line>
        ))}
      </dl>
    </>
  );
}

function Conditions({ instance }: { instance: WorkloadInstance }): ReactNode {
  return (
    <>
      <h3 className="mt-4 mb-1">Conditions</h3>
      <ul>
        {instance.status.conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
          <li key={type} className="wrap-anywhere">
            <span className="font-semibold">
              {type} {status}
            </span>{" "}
            <span className="text-muted">
              for <Age at={lastTransitionTime} />
            </span>{" "}
            {cleanText(`${reason}: ${message}`, 1_000)}
          </li>
        ))}
      </ul>
    </>
  );
}
