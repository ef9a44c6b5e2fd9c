import { ConfigSource } from "@bowline/api";
import { useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";
import { ConfigSources } from "./config-sources.tsx";
import { Definitions } from "./definitions.tsx";

/** Where everything comes from: workloads, and objects of Bowline itself. */
export function Sources(): ReactNode {
  const { tab = "" } = useSearch({ from: "/_in/sources" });
  const { items, phase } = useObjects(ConfigSource);
  const count = phase === "connecting" ? {} : { count: items.size };
  const tabs = (
    <TabLinks
      label="Kinds of sources"
      current={tab === "configuration" ? tab : ""}
      tabs={[
        { tab: "", name: "Definitions" },
        { tab: "configuration", name: "Configuration", ...count },
      ]}
    />
  );
  return tab === "configuration" ? <ConfigSources tabs={tabs} /> : <Definitions tabs={tabs} />;
}
