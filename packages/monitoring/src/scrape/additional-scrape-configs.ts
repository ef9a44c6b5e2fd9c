import type { Scope } from "../check/scope.ts";
import { configSize, textOf, type ConfigMap, type ConfigValue } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";
import { isConfigMap, readYaml } from "../model/read-yaml.ts";
import { addressShardRules, type Sharding } from "./rules.ts";

/** A Secret holds half of that; aliases can make a thousand times as much of it. */
const maxConfigSize = 2 * 1024 * 1024;

/**
 * Jobs that an administrator wrote as they are to stand in the configuration. They are sharded like all others,
 * except where they shard themselves.
 */
export function additionalScrapeConfigs(field: Field, scope: Scope, sharding: Sharding): ConfigMap[] {
  if (!field.present) return [];
  const text = scope.secret(field);
  if (text === undefined || text.trim() === "") return [];
  const read = readYaml(text);
  if ("problem" in read) {
    field.reject(
      `The additional scrape configs cannot be read: ${read.problem}.`,
      "Correct the YAML in the Secret.",
    );
    return [];
  }
  const jobs = jobList(read.value);
  if (jobs === undefined) {
    field.reject(
      "The additional scrape configs are no list of jobs that have each a job_name.",
      "Write a YAML list, as under scrape_configs.",
    );
    return [];
  }
  if (configSize(jobs) > maxConfigSize) {
    field.reject(
      "The additional scrape configs become more than 2 MiB.",
      "Use fewer aliases in the YAML, or fewer jobs.",
    );
    return [];
  }
  return sharding.shards > 1 ? jobs.map((job) => sharded(job, sharding)) : jobs;
}

function jobList(value: ConfigValue): ConfigMap[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const jobs = value.filter((job) => isConfigMap(job) && textOf(job["job_name"]) !== "");
  return jobs.length === value.length ? jobs : undefined;
}

function sharded(job: ConfigMap, sharding: Sharding): ConfigMap {
  const given = job["relabel_configs"];
  const rules: readonly ConfigValue[] = Array.isArray(given) ? given : [];
  const shardsItself = rules.some((rule) => isConfigMap(rule) && rule["action"] === "hashmod");
  if (shardsItself) return job;
  return { ...job, relabel_configs: [...rules, ...addressShardRules(sharding, "__address__")] };
}
