/**
 * Several instances in one collector: every series carries the instance it was scraped for until it is written, and
 * each remote write takes only its own.
 */
import { textOf, type ConfigMap, type ConfigValue } from "../model/config-value.ts";
import type { ObjectRef } from "../model/kube-object.ts";
import { keep, set } from "../scrape/rules.ts";

const label = "bowline_instance";

/** The job under a name that no other instance has. Its targets see the name it would have alone. */
export function routeJob(job: ConfigMap, instance: ObjectRef): ConfigMap {
  const name = textOf(job["job_name"]);
  const rules = asList(job["relabel_configs"]);
  const metricRules = asList(job["metric_relabel_configs"]);
  return {
    ...job,
    job_name: `${idOf(instance)}/${name}`,
    relabel_configs: [set("job", name), ...rules, set(label, idOf(instance))],
    // What a target exposes under this label must not send its series to somebody else.
    metric_relabel_configs: [...metricRules, set(label, idOf(instance))],
  };
}

/** The remote write of one instance, under a name that no other instance has: two teams may both call theirs «main». */
export function routeOwnWrite(config: ConfigMap, instance: ObjectRef): ConfigMap {
  const name = textOf(config["name"]);
  const named = name === "" ? config : { ...config, name: `${idOf(instance)}/${name}` };
  return routeRemoteWrite(named, [instance]);
}

export function routeRemoteWrite(config: ConfigMap, instances: readonly ObjectRef[]): ConfigMap {
  const regex = instances.map((instance) => idOf(instance).replaceAll(".", "\\.")).join("|");
  return {
    ...config,
    write_relabel_configs: [
      keep(label, regex),
      { regex: label, action: "labeldrop" },
      ...asList(config["write_relabel_configs"]),
    ],
  };
}

function idOf({ namespace, name }: ObjectRef): string {
  return `${namespace}/${name}`;
}

function asList(value: ConfigValue | undefined): readonly ConfigValue[] {
  return Array.isArray(value) ? value : [];
}
