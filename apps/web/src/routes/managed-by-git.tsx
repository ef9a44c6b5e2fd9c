import type { ConfigSource, ManagedBy } from "@bowline/api";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { cleanText } from "../text/clean-text.ts";

interface ManagedByGitProps {
  /** Undefined for an object that is not there yet. */
  readonly object: { readonly metadata: { readonly managedBy?: ManagedBy } } | undefined;
}

/** Where an object of Bowline comes from, if from git: whoever looks at it learns that edits here are refused. */
export function ManagedByGit({ object }: ManagedByGitProps): ReactNode {
  const managedBy = object?.metadata.managedBy;
  if (managedBy === undefined) return null;
  const { configSource, repository, file, commit, overriddenBy } = managedBy;
  return (
    <p role="note" className="rounded-sm border border-control bg-surface px-3 py-2 wrap-anywhere">
      It comes from git:{" "}
      <Link to="/sources/config/$name" params={{ name: configSource }} className="underline">
        {cleanText(configSource)}
      </Link>{" "}
      writes it from <code>{cleanText(file, 1_024)}</code> in {cleanText(repository, 500)}, commit{" "}
      <code title={commit}>{shortCommit(commit)}</code>. Changes made here are refused: change the file.
      {overriddenBy !== undefined && (
        <strong className="text-missing">
          {" "}
          {cleanText(overriddenBy, 100)} has changed it by hand since; the next commit sets it right.
        </strong>
      )}
    </p>
  );
}

export function shortCommit(commit: string): string {
  return cleanText(commit.slice(0, 12));
}

export type ConfigKind = ConfigSource["spec"]["kinds"][number];

const paths: Readonly<Record<ConfigKind, (name: string) => string>> = {
  Cluster: (name) => `/c/${name}`,
  AccessGrant: (name) => `/access?tab=grants&edit=${encodeURIComponent("grant/")}${name}`,
  WorkloadDefinition: (name) => `/sources?open=${name}`,
  WorkloadInstance: (name) => `/workloads/${name}`,
};

/** The page of the console for an object that may come from git. */
export function configObjectPath(kind: ConfigKind, name: string): string {
  return paths[kind](encodeURIComponent(name));
}
