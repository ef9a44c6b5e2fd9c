import type { KubeObject } from "@bowline/kube/shapes";
import { lazyRouteComponent } from "@tanstack/react-router";
import type { ComponentType } from "react";

import type { ObjectPlace } from "../../kube/places.ts";
import { podSelector } from "../../kube/pod-selector.ts";
import type { ObjectAction, RefusedActions } from "../../kube/rights.ts";

/** What every tab of an object is given. */
export interface ObjectTabProps {
  readonly place: ObjectPlace;
  /** As it is now; as it was last seen when it is gone. */
  readonly object: KubeObject;
  readonly isGone: boolean;
  /** Why some of what can be done to it is not for whoever looks. */
  readonly refused: RefusedActions;
}

interface ObjectTab {
  /** As in the address. */
  readonly id: string;
  readonly label: string;
  /** Goes there from any other tab. */
  readonly key: string;
  /** Missing for objects of all kinds. */
  readonly isFor?: (object: KubeObject) => boolean;
  /** What it is for, if that can be refused. */
  readonly action?: ObjectAction;
  readonly Show: ComponentType<ObjectTabProps>;
}

/** All tabs, in their order. */
export const objectTabs: readonly ObjectTab[] = [
  {
    id: "overview",
    label: "Overview",
    key: "d",
    Show: lazyRouteComponent(() => import("./overview.tsx"), "Overview"),
  },
  {
    id: "yaml",
    label: "YAML",
    key: "y",
    Show: lazyRouteComponent(() => import("./yaml-tab.tsx"), "YamlTab"),
  },
  {
    id: "edit",
    label: "Edit",
    key: "e",
    action: "edit",
    Show: lazyRouteComponent(() => import("./edit-tab.tsx"), "EditTab"),
  },
  {
    id: "events",
    label: "Events",
    key: "v",
    Show: lazyRouteComponent(() => import("./events-tab.tsx"), "EventsTab"),
  },
  {
    id: "logs",
    label: "Logs",
    key: "l",
    action: "logs",
    isFor: (object) => isPod(object) || podSelector(object) !== undefined,
    Show: lazyRouteComponent(() => import("./pod-tabs.tsx"), "LogsTab"),
  },
  {
    id: "shell",
    label: "Shell",
    key: "s",
    action: "shell",
    isFor: isPod,
    Show: lazyRouteComponent(() => import("./pod-tabs.tsx"), "ShellTab"),
  },
  {
    id: "uses",
    label: "Uses",
    key: "u",
    Show: lazyRouteComponent(() => import("./uses-tab.tsx"), "UsesTab"),
  },
  {
    id: "access",
    label: "Access",
    key: "w",
    Show: lazyRouteComponent(() => import("./access-tab.tsx"), "AccessTab"),
  },
  {
    id: "audit",
    label: "Audit",
    key: "a",
    Show: lazyRouteComponent(() => import("./audit-tab.tsx"), "AuditTab"),
  },
];

function isPod({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === "v1" && kind === "Pod";
}
