import { Gateway } from "@bowline/api";
import { lazyRouteComponent, Link, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useState, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { ListState } from "../../ui/list-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Section } from "../../ui/section.tsx";
import { Empty, Loading } from "../../ui/states.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";
import { ConditionList } from "../condition-list.tsx";
import { EventLines } from "../events/event-lines.tsx";
import { adviceFor } from "../gateway-reasons.ts";
import { ManagedByGit } from "../managed-by-git.tsx";
import { useWhoami } from "../session.ts";
import { WhatToDo } from "../what-to-do.tsx";
import { DeleteGateway } from "./delete-gateway.tsx";
import { GatewayClusters } from "./gateway-clusters.tsx";
import { gatewayHealth, readyCondition } from "./gateway-facts.ts";
import { GatewayRules } from "./gateway-rules.tsx";
import { HostsOfGateway } from "./hosts-of-gateway.tsx";

const ObjectText = lazyRouteComponent(() => import("../object-text/object-text.tsx"), "ObjectText");

/** One Gateway: why it does not answer first, then how far each cluster is, check by check. */
export function GatewayPage(): ReactNode {
  const { name } = useParams({ from: "/_in/gateways/$name" });
  const { tab = "" } = useSearch({ from: "/_in/gateways/$name" });
  const list = useObjects(Gateway, `metadata.name=${name}`);
  const gateway = [...list.items.values()].at(0);
  const [isDeleting, setDeleting] = useState(false);
  const { data: me } = useWhoami();
  if (gateway === undefined) {
    return (
      <>
        <PageHead title={cleanText(name, 80)} />
        <ListState list={list} what="the gateway" />
        {list.phase === "live" && (
          <Empty>
            There is no Gateway of this name, or not any more. <Link to="/gateways">All gateways</Link>
          </Empty>
        )}
      </>
    );
  }
  const off =
    me?.role === "viewer" ? "You are a viewer: only editors and admins change gateways." : undefined;
  return (
    <>
      <PageHead title={cleanText(name, 80)}>
        <HealthMark health={gatewayHealth(gateway)} />
        <Link to="/workloads/$name" params={{ name: gateway.spec.instance }}>
          Workload {cleanText(gateway.spec.instance, 63)}
        </Link>
        <span className="ml-auto">
          <Button look="danger" off={off} onClick={() => setDeleting(true)}>
            Delete
          </Button>
        </span>
      </PageHead>
      <TabLinks
        label="Parts of the gateway"
        current={tab}
        tabs={[
          { tab: "", name: "Clusters" },
          { tab: "events", name: "Events" },
          { tab: "yaml", name: "YAML" },
        ]}
      />
      <ListState list={list} />
      <div className="min-h-0 flex-1 overflow-auto">
        <div className="p-4 pb-0 empty:hidden">
          <ManagedByGit object={gateway} />
        </div>
        <WhatToDo label="Why it does not answer" {...readyCondition(gateway)} adviceFor={adviceFor} />
        {tab === "" && <Overview gateway={gateway} />}
        {tab === "events" && (
          <div className="p-4">
            <EventLines
              filters={{ kind: "Gateway", name }}
              limit={100}
              empty="Nothing has happened to it of late."
            />
          </div>
        )}
        {tab === "yaml" && (
          <Suspense fallback={<Loading what="the text" />}>
            <ObjectText kind={Gateway} object={gateway} off={off} />
          </Suspense>
        )}
      </div>
      {isDeleting && <DeleteGateway gateway={gateway} onClose={() => setDeleting(false)} />}
    </>
  );
}

function Overview({ gateway }: { gateway: Gateway }): ReactNode {
  return (
    <div className="grid content-start gap-6 p-4 xl:grid-cols-2">
      <Section title="Hosts">
        <HostsOfGateway gateway={gateway} />
      </Section>
      <Section title="Where requests go">
        <GatewayRules gateway={gateway} />
      </Section>
      <div className="xl:col-span-2">
        <GatewayClusters gateway={gateway} />
      </div>
      <Section title="State">
        <ConditionList conditions={gateway.status.conditions} meanings={Gateway.conditions} />
      </Section>
    </div>
  );
}
