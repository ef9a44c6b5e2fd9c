import { ConfigSource } from "@bowline/api";
import { useMutation } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { useObjects } from "../../live/live-context.tsx";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { ListState, type ListStateProps } from "../../ui/list-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Section } from "../../ui/section.tsx";
import { Empty, Failed } from "../../ui/states.tsx";
import { ConditionList } from "../condition-list.tsx";
import { EventLines } from "../events/event-lines.tsx";
import { useWhoami } from "../session.ts";
import { configFaults, configHealth } from "./config-health.ts";
import { ConfigObjects } from "./config-objects.tsx";
import { HeldDeletions } from "./held-deletions.tsx";
import { Origin } from "./origin.tsx";

/** One source of configuration: what is wrong with it or waits for somebody first, then where it is and what it has. */
export function ConfigSourcePage(): ReactNode {
  const { name } = useParams({ from: "/_in/sources/config/$name" });
  const list = useObjects(ConfigSource, `metadata.name=${name}`);
  const source = [...list.items.values()].at(0);
  if (source === undefined) {
    return (
      <>
        <PageHead title={cleanText(name, 63)} />
        <ListState list={list} what="the source of configuration" />
        {list.phase === "live" && (
          <Empty>
            There is no ConfigSource of this name, or not any more.{" "}
            <Link to="/sources" search={{ tab: "configuration" }}>
              All sources of configuration
            </Link>
          </Empty>
        )}
      </>
    );
  }
  return <KnownSource source={source} list={list} />;
}

interface KnownSourceProps {
  readonly source: ConfigSource;
  readonly list: ListStateProps["list"];
}

function KnownSource({ source, list }: KnownSourceProps): ReactNode {
  const { name } = source.metadata;
  const { data: me } = useWhoami();
  const off = me?.role === "viewer" ? "You are a viewer: only editors and admins change sources." : undefined;
  const resolve = useMutation({
    mutationFn: () =>
      request(`/api/v1/configsources/${encodeURIComponent(name)}/resolve`, { method: "POST", body: {} }),
  });
  const failure = failureIn(resolve.error);
  const { conditions, source: seen } = source.status;
  const isAsked = seen?.requestedAt !== undefined && seen.requestedAt !== seen.answeredAt;
  return (
    <>
      <PageHead title={cleanText(name, 63)}>
        <HealthMark health={configHealth(source)} />
        <Link to="/sources" search={{ tab: "configuration" }}>
          All sources
        </Link>
        <span className="ml-auto">
          <Button off={off} disabled={resolve.isPending} onClick={() => resolve.mutate()}>
            {isAsked ? "Looking…" : "Resolve now"}
          </Button>
        </span>
      </PageHead>
      <ListState list={list} />
      <div className="grid content-start gap-6 overflow-auto p-4 xl:grid-cols-2">
        {failure !== undefined && <Failed failure={failure} />}
        <Faults source={source} />
        <HeldDeletions source={source} off={off} />
        <Section title="Where it comes from">
          <Origin source={source} />
        </Section>
        <Section title="State">
          <ConditionList conditions={conditions} meanings={ConfigSource.conditions} />
        </Section>
        <Section title="Objects">
          <ConfigObjects source={name} />
        </Section>
        <Section title="Events">
          <EventLines
            filters={{ kind: "ConfigSource", name }}
            limit={50}
            empty="Nothing has happened to it of late."
          />
        </Section>
      </div>
    </>
  );
}

/** Why the newest commit is not applied, fault by fault. */
function Faults({ source: { status } }: { source: ConfigSource }): ReactNode {
  const { reason = "", message = "" } =
    status.conditions.find(({ type, status: holds }) => type === "UpToDate" && holds === "False") ?? {};
  // What is held is told with the button that agrees to it.
  if (message === "" || status.held !== undefined) return null;
  const { sentence, faults } = configFaults(message);
  const seen = status.source?.commit;
  return (
    <section
      aria-label="Why it is not up to date"
      className="rounded-md border border-degraded p-3 xl:col-span-2"
    >
      <h2 className="text-lg">
        {seen === undefined
          ? "No commit could be read"
          : `Commit ${cleanText(seen.slice(0, 12))} is not applied`}
      </h2>
      <p className="wrap-anywhere">
        <span className="font-semibold">{cleanText(reason, 80)}</span> {cleanText(sentence, 4_096)}
      </p>
      {faults.length > 0 && (
        <ul aria-label="Problems" className="mt-2 list-disc space-y-1 pl-5">
          {faults.map(({ file, line, text }) => (
            <li key={`${file ?? ""} ${line ?? ""} ${text}`} className="wrap-anywhere">
              {file !== undefined && (
                <code>
                  {cleanText(file, 1_024)}
                  {line === undefined ? "" : `:${line}`}
                </code>
              )}{" "}
              {cleanText(text, 2_048)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
