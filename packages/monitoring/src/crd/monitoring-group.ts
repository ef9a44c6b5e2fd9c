/** Where our own custom resources are. */
export const monitoringGroup = "monitoring.bowline.dev";
export const monitoringVersion = "v1alpha1";
export const monitoringApiVersion = `${monitoringGroup}/${monitoringVersion}`;

/** Where the monitors and the roots of prometheus-operator are. */
export const prometheusOperatorGroup = "monitoring.coreos.com";

/** Where the custom resources of the Grafana Agent Operator are, which can be read as if they were ours. */
export const grafanaGroup = "monitoring.grafana.com";
