import { DomainName } from "@bowline/api";
import { lazyRouteComponent, Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useState, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { ListState } from "../../ui/list-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { Section } from "../../ui/section.tsx";
import { Empty, Loading } from "../../ui/states.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";
import { ConditionList } from "../condition-list.tsx";
import { EventLines } from "../events/event-lines.tsx";
import { ManagedByGit } from "../managed-by-git.tsx";
import { useWhoami } from "../session.ts";
import { WhatToDo } from "../what-to-do.tsx";
import { DeleteDomainName } from "./delete-domain-name.tsx";
import { domainHealth, readyFinding } from "./domain-facts.ts";
import { DomainHosts } from "./domain-hosts.tsx";
import { DomainSettings } from "./domain-settings.tsx";
import { adviceFor } from "./reasons.ts";

const ObjectText = lazyRouteComponent(() => import("../object-text/object-text.tsx"), "ObjectText");

/** One DomainName: what needs somebody first, then where each host leads, and how each cluster does for it. */
export function DomainNamePage(): ReactNode {
  const { name } = useParams({ from: "/_in/domains/$name" });
  const { tab = "" } = useSearch({ from: "/_in/domains/$name" });
  const list = useObjects(DomainName, `metadata.name=${name}`);
  const domain = [...list.items.values()].at(0);
  const [isDeleting, setDeleting] = useState(false);
  const { data: me } = useWhoami();
  if (domain === undefined) {
    return (
      <>
        <PageHead title={cleanText(name, 80)} />
        <ListState list={list} what="the domain name" />
        {list.phase === "live" && (
          <Empty>
            There is no DomainName of this name, or not any more. <Link to="/domains">All domain names</Link>
          </Empty>
        )}
      </>
    );
  }
  const off =
    me === undefined || me.role === "admin"
      ? undefined
      : "Only admins change domain names: they say where the server writes records.";
  return (
    <>
      <PageHead title={cleanText(name, 80)}>
        <HealthMark health={domainHealth(domain)} />
        <code>{cleanText(domain.spec.domain, 253)}</code>
        <span className="ml-auto">
          <Button look="danger" off={off} onClick={() => setDeleting(true)}>
            Delete
          </Button>
        </span>
      </PageHead>
      <TabLinks
        label="Parts of the domain name"
        current={tab}
        tabs={[
          { tab: "", name: "Hosts" },
          { tab: "events", name: "Events" },
          { tab: "yaml", name: "YAML" },
        ]}
      />
      <ListState list={list} />
      <ScrollArea label="The domain name" className="min-h-0 flex-1">
        <div className="p-4 pb-0 empty:hidden">
          <ManagedByGit object={domain} />
        </div>
        <WhatToDo label="What needs somebody" {...readyFinding(domain)} adviceFor={adviceFor} />
        {tab === "" && <Overview domain={domain} />}
        {tab === "events" && (
          <div className="p-4">
            <EventLines
              filters={{ kind: "DomainName", name }}
              limit={100}
              empty="No host of it was led elsewhere of late."
            />
          </div>
        )}
        {tab === "yaml" && (
          <Suspense fallback={<Loading what="the text" />}>
            <ObjectText kind={DomainName} object={domain} off={off} />
          </Suspense>
        )}
      </ScrollArea>
      {isDeleting && <DeleteDomainName domain={domain} onClose={() => setDeleting(false)} />}
    </>
  );
}

function Overview({ domain }: { domain: DomainName }): ReactNode {
  const { q = "" } = useSearch({ from: "/_in/domains/$name" });
  const navigate = useNavigate({ from: "/domains/$name" });
  return (
    <div className="grid content-start gap-6 p-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <DomainHosts
        domain={domain}
        filter={q}
        onFilter={(value) => void navigate({ search: (before) => ({ ...before, q: value }), replace: true })}
      />
      <div className="grid content-start gap-6">
        <Section title="State">
          <ConditionList conditions={domain.status.conditions} meanings={DomainName.conditions} />
        </Section>
        <Section title="How its records are written">
          <DomainSettings domain={domain} />
        </Section>
      </div>
    </div>
  );
}
