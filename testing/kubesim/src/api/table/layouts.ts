import type { CustomVersion, PrinterColumn } from "../../store/custom-version.ts";
import type { ResourceType } from "../../store/resource-type.ts";
import * as cluster from "./cluster-columns.ts";
import { age } from "./human-duration.ts";
import { compileJsonPath } from "./json-path.ts";
import * as network from "./network-columns.ts";
import { podColumns } from "./pod-columns.ts";
import * as policy from "./policy-columns.ts";
import * as storage from "./storage-columns.ts";
import {
  ageColumn,
  createdAtColumn,
  layoutOf,
  nameColumn,
  type Cell,
  type ColumnSpec,
  type TableLayout,
} from "./table-layout.ts";
import * as workload from "./workload-columns.ts";

const builtinColumns: Readonly<Record<string, readonly ColumnSpec[]>> = {
  configmaps: cluster.configMapColumns,
  limitranges: [nameColumn, createdAtColumn],
  endpoints: network.endpointsColumns,
  events: cluster.eventColumns,
  namespaces: cluster.namespaceColumns,
  nodes: cluster.nodeColumns,
  persistentvolumeclaims: storage.claimColumns,
  persistentvolumes: storage.volumeColumns,
  pods: podColumns,
  replicationcontrollers: workload.replicaSetColumns,
  resourcequotas: storage.quotaColumns,
  secrets: cluster.secretColumns,
  serviceaccounts: cluster.serviceAccountColumns,
  services: network.serviceColumns,
  "clusterrolebindings.rbac.authorization.k8s.io": cluster.roleBindingColumns,
  "clusterroles.rbac.authorization.k8s.io": cluster.roleColumns,
  "controllerrevisions.apps": workload.revisionColumns,
  "cronjobs.batch": workload.cronJobColumns,
  "customresourcedefinitions.apiextensions.k8s.io": cluster.definitionColumns,
  "daemonsets.apps": workload.daemonSetColumns,
  "deployments.apps": workload.deploymentColumns,
  "endpointslices.discovery.k8s.io": network.endpointSliceColumns,
  "horizontalpodautoscalers.autoscaling": workload.autoscalerColumns,
  "ingressclasses.networking.k8s.io": policy.ingressClassColumns,
  "ingresses.networking.k8s.io": network.ingressColumns,
  "jobs.batch": workload.jobColumns,
  "leases.coordination.k8s.io": cluster.leaseColumns,
  "networkpolicies.networking.k8s.io": policy.networkPolicyColumns,
  "poddisruptionbudgets.policy": cluster.budgetColumns,
  "priorityclasses.scheduling.k8s.io": policy.priorityClassColumns,
  "replicasets.apps": workload.replicaSetColumns,
  "rolebindings.rbac.authorization.k8s.io": cluster.roleBindingColumns,
  "roles.rbac.authorization.k8s.io": cluster.roleColumns,
  "statefulsets.apps": workload.statefulSetColumns,
  "storageclasses.storage.k8s.io": storage.storageClassColumns,
};

const plainColumns = [nameColumn, ageColumn];

/** How the kind looks in a table of a server of the given minor version. */
export function tableLayout(type: ResourceType, version: string, minorVersion: number): TableLayout {
  const custom = type.custom?.get(version);
  return custom ? customLayout(custom) : layoutOf(builtinColumns[type.key] ?? plainColumns, minorVersion);
}

function customLayout(version: CustomVersion): TableLayout {
  if (version.printerColumns.length === 0) return layoutOf(plainColumns, 0);
  const [name] = layoutOf([nameColumn], 0).columns;
  const readers = version.printerColumns.map((column) => cellReader(column));
  return {
    columns: [
      ...(name ? [name] : []),
      ...version.printerColumns.map((column) => ({
        name: column.name,
        type: column.type,
        format: column.format ?? "",
        description: column.description ?? "",
        priority: column.priority ?? 0,
      })),
    ],
    cells: (object, nowMs) => [object.metadata.name, ...readers.map((read) => read(object, nowMs))],
  };
}

function cellReader(column: PrinterColumn): (object: unknown, nowMs: number) => Cell {
  const read = compileJsonPath(column.jsonPath);
  return (object, nowMs) => {
    const [first] = read(object);
    if (first === undefined || first === null) return null;
    if (column.type === "date") return age(first, nowMs);
    if (typeof first === "string" || typeof first === "number" || typeof first === "boolean") return first;
    return JSON.stringify(first);
  };
}
